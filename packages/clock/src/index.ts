export type { Clock, Timer } from "./clock";
export { SystemClock } from "./system-clock";
export { VirtualClock } from "./virtual-clock";

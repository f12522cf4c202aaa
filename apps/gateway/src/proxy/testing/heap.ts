/** What is still reachable, after a full collection. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Bytes of buffers that something still leads to, and some that are being swept: wait until it is little enough. */
export function arrayBufferBytes(): number {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  return process.memoryUsage().arrayBuffers;
}

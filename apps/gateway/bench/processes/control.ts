/** How a benchmark's child process tells its parent where it listens. */
import type { Server } from "node:net";

export function reportReady(server: Server): void {
  const address = server.address();
  if (address !== null && typeof address === "object") process.send?.({ port: address.port });
  process.on("disconnect", () => process.exit(0));
}

/** What is still reachable, after a full collection. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Bytes of buffers that something still leads to, and some that are being swept: wait until it is little enough. */
export function arrayBufferBytes(): number {
  collect();
  return process.memoryUsage().arrayBuffers;
}

/** Bytes of everything else. */
export function heapBytes(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

function collect(): void {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
}

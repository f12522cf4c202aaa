import { randomUUID } from "node:crypto";

/** The caller's own id for the request when it is a harmless one, so that logs on both sides meet; else a fresh one. */
export function requestIdOf(header: string | undefined): string {
  return header !== undefined && /^[\w.:-]{8,100}$/.test(header) ? header : randomUUID();
}

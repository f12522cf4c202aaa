/** What the judge of a fleet is given, and what it says. */
import type { Visit } from "./visit-log";

export interface ModeChange {
  /** Wall clock. */
  readonly atMs: number;
  readonly mode: string;
}

export interface Outage {
  readonly fromMs: number;
  readonly toMs: number;
}

/** A gateway that stood still. */
export interface Stall extends Outage {
  readonly marker: string;
}

export interface Verdict {
  /** Most that were ever there together. */
  readonly highest: number;
  /** The same, over starts at which all gateways had shared for a while. */
  readonly highestShared: number;
  /** The same, over starts at which some shared and some did not. */
  readonly highestMixed: number;
  /** The same, per gateway and over starts at which it was on its own: the most of any. */
  readonly highestApart: number;
  /** What broke a rule, in words. */
  readonly faults: readonly string[];
}

/** Longest way of a granted request from its gateway to the backend, on a busy machine; also of a heartbeat to Redis. */
const ON_THE_WAY_MS = 250;

/** The same on this machine, where it was measured. */
export function wayMs({ longestWayMs = 0 }: Pick<Trial, "longestWayMs">): number {
  return Math.max(ON_THE_WAY_MS, longestWayMs);
}

export interface Trial {
  readonly visits: readonly Visit[];
  /** By the marker of its visits: when which mode began, oldest first. Who is missing has always shared. */
  readonly gateways: ReadonlyMap<string, readonly ModeChange[]>;
  readonly slots: number;
  readonly part: number;
  /** Of the gateways. */
  readonly heartbeatMs: number;
  readonly ttlMs: number;
  /** While Redis was away for every gateway. */
  readonly outages?: readonly Outage[];
  readonly stalls?: readonly Stall[];
  /** What was measured meanwhile of the ways to the gateways and to the backend, ms. */
  readonly longestWayMs?: number;
}

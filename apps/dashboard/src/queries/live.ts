/**
 * The live state, polled. One query per view: the summary over all pools, or one pool in full. Polls send the last
 * ETag; a 304 keeps the object, so nothing is drawn anew, and confirms it as of the answer's own time.
 */
import { type QueryClient, queryOptions } from "@tanstack/react-query";
import { api } from "../lib/api";
import { nextPollMs } from "../lib/freshness";
import { keepUnchanged } from "../lib/keep-unchanged";
import { learnServerTime, serverNowMs, steadyNowMs } from "../lib/server-clock";
import type { Live } from "./wire";

export interface LiveSample {
  readonly live: Live;
  readonly etag: string | null;
  /** Server time the state is known to hold at. */
  readonly asOfMs: number;
  /** Rises with every answer, 304 included. */
  readonly reads: number;
  /** Failed tries before this read, in all; what failed since is the query's count less this. */
  readonly failuresBefore: number;
}

export interface LiveView {
  /** One pool in full, or null for the summary of all. */
  readonly pool: string | null;
  readonly intervalMs: number;
}

const TRY_TIMEOUT_MS = 2000;

export function liveKey(pool: string | null): readonly unknown[] {
  return ["live", pool ?? "summary"];
}

export function liveQuery(view: LiveView, client: QueryClient) {
  const queryKey = liveKey(view.pool);
  return queryOptions({
    queryKey,
    queryFn: ({ signal }) => {
      const state = client.getQueryState<LiveSample>(queryKey);
      return readLive(view.pool, { last: state?.data ?? null, failures: state?.errorUpdateCount ?? 0 }, signal);
    },
    refetchInterval: ({ state }) => nextPollMs(view.intervalMs, failedTries(state.errorUpdateCount, state.data)),
    refetchOnWindowFocus: "always",
    refetchOnReconnect: "always",
    retry: false,
    staleTime: view.intervalMs,
    gcTime: 60_000,
    structuralSharing: false,
  });
}

/** What came with the page, as if it had been polled. */
export function firstSample({ state, etag }: { state: Live; etag: string | null }): LiveSample {
  return { live: state, etag, asOfMs: state.ts_ms, reads: 1, failuresBefore: 0 };
}

/** Tries that failed since the last answer. */
export function failedTries(failuresInAll: number, sample: LiveSample | undefined): number {
  return failuresInAll - (sample?.failuresBefore ?? 0);
}

async function readLive(
  pool: string | null,
  before: { last: LiveSample | null; failures: number },
  signal: AbortSignal,
): Promise<LiveSample> {
  const { last } = before;
  const sentMs = steadyNowMs();
  const answer = await api.poll(
    "getFairshareLive",
    { query: pool === null ? { fields: "summary" } : { pool } },
    {
      signal: AbortSignal.any([signal, AbortSignal.timeout(TRY_TIMEOUT_MS)]),
      ...(last?.etag ? { ifNoneMatch: last.etag } : {}),
    },
  );
  const dateMs = answer.serverTimeMs;
  if (dateMs !== null) learnServerTime({ sentMs, receivedMs: steadyNowMs(), dateMs });
  const read = { reads: (last?.reads ?? 0) + 1, failuresBefore: before.failures };
  if (!answer.notModified) {
    return { live: keepUnchanged(last?.live, answer.data), etag: answer.etag, asOfMs: answer.data.ts_ms, ...read };
  }
  if (last === null) throw new Error("The gateway answered 304 to a first read.");
  return { ...last, asOfMs: dateMs ?? serverNowMs(), ...read };
}

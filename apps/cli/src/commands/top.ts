/** `obleth top`: the live pools, refreshed in a terminal, printed once elsewhere. */
import { setTimeout as delay } from "node:timers/promises";
import type { FairshareLive } from "@obleth/contract";
import { ApiError } from "@obleth/contract/client";
import { formatDuration } from "@obleth/fairshare/words";
import { type Command, InvalidArgumentError } from "commander";
import { EXIT, failureOf } from "../failure";
import { visible } from "../output/plain-text";
import type { Session } from "../session";
import { picture } from "../top/picture";
import { openScreen, type Screen } from "../top/screen";

interface Options {
  readonly once?: boolean;
  readonly interval: number;
}

/** Secs between looks: the state itself is sampled about as often. */
const INTERVAL_SECS = 2;

export function addTop(program: Command, session: Session): void {
  program
    .command("top")
    .description("watch the live pools, or one pool's tenants; q leaves")
    .argument("[pool]", "a model's name, or (unrouted)")
    .option("--once", "print once and end, as when the output is no terminal")
    .option("--interval <seconds>", "how often to look", seconds, INTERVAL_SECS)
    .action(async (pool: string | undefined, options: Options) => {
      const { stdout, stdin } = process;
      const isWatching =
        options.once !== true &&
        !session.isJson &&
        session.terminal.width !== null &&
        !session.environment.isPlainTerminal;
      if (!isWatching) return printOnce(session, pool);
      // The first look decides whether there is anything to watch, before the screen is taken.
      const first = await session.api.call("getFairshareLive", { query: queryOf(pool) });
      const screen = openScreen({ stdin, stdout });
      try {
        await watch(session, screen, { pool, first, intervalMs: options.interval * 1000 });
      } finally {
        screen.close();
      }
    });
}

async function printOnce(session: Session, pool: string | undefined): Promise<void> {
  const { data } = await session.api.call("getFairshareLive", { query: queryOf(pool) });
  session.show(data, () => picture(data, pictureOptions(pool, session.terminal.width)));
}

interface Watch {
  readonly pool: string | undefined;
  readonly first: { readonly data: FairshareLive; readonly etag: string | null };
  readonly intervalMs: number;
}

/** Looks again and again until the person leaves. Shows how old the picture is while the gateway does not answer. */
async function watch(session: Session, screen: Screen, { pool, first, intervalMs }: Watch): Promise<void> {
  let { data, etag } = first;
  let seenMs = Date.now();
  let trouble: string | null = null;
  const ending = new AbortController();
  const left = screen.left.then(() => ending.abort());
  while (!ending.signal.aborted) {
    const age = trouble === null ? "" : `  ${trouble} Shown: ${formatDuration(Date.now() - seenMs)} ago; trying again.`;
    screen.draw([...picture(data, pictureOptions(pool, screen.width)), "", `q leaves${visible(age)}`]);
    try {
      await delay(intervalMs, undefined, { signal: ending.signal });
      const ifNoneMatch = etag === null ? {} : { ifNoneMatch: etag };
      const options = {
        signal: AbortSignal.any([ending.signal, AbortSignal.timeout(Math.max(5000, intervalMs))]),
        ...ifNoneMatch,
      };
      const answer = await session.api.poll("getFairshareLive", { query: queryOf(pool) }, options);
      seenMs = Date.now();
      trouble = null;
      if (answer.notModified) data = { ...data, ts_ms: answer.serverTimeMs ?? seenMs };
      else ({ data, etag } = answer);
    } catch (error) {
      if (ending.signal.aborted) break;
      const failure = failureOf(error, session.place);
      if (error instanceof ApiError && failure.exitCode !== EXIT.unreachable) throw error;
      trouble = failure.message;
    }
  }
  await left;
}

function queryOf(pool: string | undefined) {
  return pool === undefined ? ({ fields: "summary" } as const) : { pool };
}

function pictureOptions(pool: string | undefined, width: number | null) {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return { pool: pool ?? null, width, timeZone };
}

function seconds(text: string): number {
  const value = Number(text);
  if (!(value >= 0.5 && value <= 3600)) throw new InvalidArgumentError("It takes 0.5 to 3600 seconds.");
  return value;
}

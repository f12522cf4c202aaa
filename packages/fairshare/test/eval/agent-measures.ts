/** What a run of agents beside one-shots comes to. */
import type { AgentRun, Played } from "./agent-world";

export interface AgentMeasures {
  /** From a step's arrival to its last token: the median, the 95th percentile and the mean, s. */
  readonly p50Secs: number;
  readonly p95Secs: number;
  readonly meanSecs: number;
  /** The 95th percentile of the steps that followed another of their session, s. */
  readonly nextP95Secs: number;
  /** Part of the steps' prompt tokens that the model server still had. */
  readonly hitRate: number;
  /** Answer tokens of all finished requests, per second. */
  readonly tokensPerSec: number;
  /** End of the last request, s. */
  readonly makespanSecs: number;
  readonly mostPasses: number;
  readonly mostHeld: number;
  readonly holds: number;
  readonly redeems: number;
  /** Slots that stood empty for sessions, on average. */
  readonly meanHeld: number;
  /** Wait of one-shots for their slot: the 95th percentile and the longest, s. */
  readonly shotP95Secs: number;
  readonly shotLongestSecs: number;
  /** Wait of any request for its slot, the longest, s. */
  readonly longestWaitSecs: number;
  /** Longest time in a slot, s. */
  readonly longestRunSecs: number;
}

/** Over the requests that arrived and ended in the interval; the rest is warming up and running out. */
export function measure(run: AgentRun, fromMs: number, untilMs: number): AgentMeasures {
  const ended = run.played.filter((each) => each.atMs >= fromMs && each.endMs <= untilMs);
  const steps = ended.filter((each) => each.step !== null);
  const shots = ended.filter((each) => each.step === null).map(waitSecs);
  const latencies = steps.map(latencySecs);
  const next = steps.filter((each) => each.step !== 0).map(latencySecs);
  const endMs = Math.max(...ended.map((each) => each.endMs));
  const events = (kind: string) => run.events.get(kind) ?? 0;
  return {
    p50Secs: quantile(latencies, 0.5),
    p95Secs: quantile(latencies, 0.95),
    meanSecs: sum(latencies) / latencies.length,
    nextP95Secs: quantile(next, 0.95),
    hitRate: sum(steps.map((each) => each.cachedTokens)) / sum(steps.map((each) => each.inputTokens)),
    tokensPerSec: sum(ended.map((each) => each.outputTokens)) / ((Math.min(endMs, untilMs) - fromMs) / 1000),
    makespanSecs: endMs / 1000,
    mostPasses: Math.max(...run.played.map((each) => each.passes)),
    mostHeld: run.mostHeld,
    holds: events("held"),
    redeems: events("redeemed"),
    meanHeld: run.heldMs / Math.max(...run.played.map((each) => each.endMs)),
    shotP95Secs: quantile(shots, 0.95),
    shotLongestSecs: Math.max(0, ...shots),
    longestWaitSecs: Math.max(...run.played.map(waitSecs)),
    longestRunSecs: Math.max(...run.played.map((each) => each.endMs - each.startMs)) / 1000,
  };
}

/** Each measure's mean over the runs; of the extremes, the worst. */
export function together(runs: readonly AgentMeasures[]): AgentMeasures {
  const mean = (of: keyof AgentMeasures) => sum(runs.map((run) => run[of])) / runs.length;
  const most = (of: keyof AgentMeasures) => Math.max(...runs.map((run) => run[of]));
  return {
    p50Secs: mean("p50Secs"),
    p95Secs: mean("p95Secs"),
    meanSecs: mean("meanSecs"),
    nextP95Secs: mean("nextP95Secs"),
    hitRate: mean("hitRate"),
    tokensPerSec: mean("tokensPerSec"),
    makespanSecs: mean("makespanSecs"),
    mostPasses: most("mostPasses"),
    mostHeld: most("mostHeld"),
    holds: mean("holds"),
    redeems: mean("redeems"),
    meanHeld: mean("meanHeld"),
    shotP95Secs: mean("shotP95Secs"),
    shotLongestSecs: most("shotLongestSecs"),
    longestWaitSecs: most("longestWaitSecs"),
    longestRunSecs: most("longestRunSecs"),
  };
}

function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0;
}

function sum(values: readonly number[]): number {
  return values.reduce((a, b) => a + b, 0);
}

function waitSecs({ atMs, startMs }: Played): number {
  return (startMs - atMs) / 1000;
}

function latencySecs({ atMs, endMs }: Played): number {
  return (endMs - atMs) / 1000;
}

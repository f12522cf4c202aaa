/** What every measurement of the suite works with. */
import type { ChildProcess } from "node:child_process";
import type { Child } from "./child";
import type { LoadJob, LoadResult } from "./load-job";

export interface Bench {
  readonly stub: Child;
  readonly load: ChildProcess;
  readonly rounds: number;
  readonly roundMs: number;
  /** Requests before the first round; paths that compile late need many. */
  readonly warmRequests: number;
  /** Longest time spent on that, ms a peer. */
  readonly warmMs: number;
  /** Requests that wait at once where memory is measured. */
  readonly waiting: number;
}

/** Runs one load to its end. */
export function runLoad(load: ChildProcess, job: LoadJob): Promise<LoadResult> {
  return new Promise((resolve) => {
    load.once("message", (result: LoadResult) => resolve(result));
    load.send(job);
  });
}

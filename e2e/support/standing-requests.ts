/** Requests that take or await slots and stay: nothing finishes, so a pool stands still while it is looked at. */
import { type Load, startLoad } from "./load";

/** Minutes of an answer on the simulated backend. */
const ENDLESS_TOKENS = 20_000;

export interface Standing {
  readonly url: string;
  readonly model: string;
  readonly secret: string;
  readonly requests: number;
  /** What the backend is told of who they are. */
  readonly marker?: string;
}

/** They run or wait until stopped. */
export function standingRequests({ requests, marker = "standing", ...where }: Standing): Load {
  return startLoad({ ...where, clients: requests, answerTokens: ENDLESS_TOKENS, marker });
}

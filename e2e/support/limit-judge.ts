/**
 * Whether a fleet kept a pool's size, by the backend's own record of who was there and by what each gateway says of its
 * modes. At each start of a request, for a pool of `slots` of which a gateway on its own gets `part`:
 *  - together: what runs on the gateways that share is within `slots`, less what the others have on the books;
 *  - on its own: what runs on that gateway is within `part`, whatever ran there before;
 *  - alone: within `slots`;
 *  - while Redis is away for all, no more run than the parts, or what ran on a gateway when it went.
 * What a gateway that left has on the books is not seen from outside, but it is never less than the fewest that ran there
 * since. A request may be on its way while the mode changes: it is held against the mode before or the one after.
 */
import { Bench } from "./limit-bench";
import type { Trial, Verdict } from "./limit-trial";

export function judge(trial: Trial): Verdict {
  const bench = new Bench(trial);
  for (const { marker, fromMs, toMs } of [...trial.visits].sort((a, b) => a.fromMs - b.fromMs)) {
    bench.at(fromMs);
    bench.start(marker, toMs);
  }
  return bench.verdict;
}

/** `npm run bench -- cluster`: what shared slots cost and how they fail, on a Redis of its own. */

import { isNoisy } from "../../../scripts/figure";
import { startRedis } from "../test/support/redis-server";
import { recovery } from "./recovery";
import { slotRates } from "./slot-rates";

export async function runClusterBench({ quick }: { readonly quick: boolean }) {
  const redis = await startRedis();
  try {
    const figures = [...(await slotRates(redis, quick)), ...(await recovery(redis, quick))];
    return { suite: "cluster", figures, noisy: figures.some((figure) => figure.ratio !== null && isNoisy(figure)) };
  } finally {
    redis.resume();
    await redis.kill();
  }
}

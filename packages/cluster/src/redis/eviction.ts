import { Cluster } from "ioredis";
import type { RedisClient } from "./connect";

/**
 * The server's `maxmemory-policy`, as any server lets clients read it; null when it does not say. Any policy but
 * `noeviction` may drop keys under memory pressure: slot counters under `allkeys-*`, budgets and views under `volatile-*`.
 */
export async function evictionPolicy(client: RedisClient): Promise<string | null> {
  const info =
    client instanceof Cluster ? await client.nodes("master")[0]?.info("memory") : await client.info("memory");
  return /^maxmemory_policy:(\S+)/m.exec(info ?? "")?.[1] ?? null;
}

/** True when the server may delete keys that still count. */
export function mayEvict(policy: string | null): boolean {
  return policy !== null && policy !== "noeviction";
}

/** The slot books as they lie in Redis: totals, and the sum of the gateways' parts with the held sessions. */
import type { RedisProcess } from "./redis-process";

export interface Books {
  readonly totals: Readonly<Record<string, number>>;
  /** What all gateways hold, and the held sessions, added up. Equal to the totals when the books are right. */
  readonly parts: Readonly<Record<string, number>>;
}

const LIMIT = /^(g|[ptk]\|.*)$/s;

/** All of it at one moment. */
const READ = `
  local prefix = ARGV[1] .. ':fairshare:'
  local answer = { totals = redis.call('HGETALL', prefix .. 'slots'), parts = {} }
  for i, key in ipairs(redis.call('KEYS', prefix .. 'held:*')) do answer.parts[i] = redis.call('HGETALL', key) end
  answer.holds = redis.call('ZRANGE', prefix .. 'hold', 0, -1)
  return cjson.encode(answer)`;

/** `prefix` as keys have it: in a Redis Cluster a hash tag. */
export async function booksOf(redis: RedisProcess, prefix = "obleth"): Promise<Books> {
  const text = (await redis.command("EVAL", READ, "0", prefix)) as string;
  // An empty list is an empty object to the encoder.
  const read = JSON.parse(text.replaceAll("{}", "[]")) as { totals: string[]; parts: string[][]; holds: string[] };
  const parts: Record<string, number> = {};
  const add = (limit: string, slots: number) => {
    parts[limit] = (parts[limit] ?? 0) + slots;
  };
  for (const part of read.parts) for (const [limit, slots] of limitsIn(part)) add(limit, slots);
  for (const held of read.holds) {
    const [pool, tenant, key] = held.split("|");
    for (const limit of ["g", `p|${pool}`, `t|${pool}|${tenant}`, `k|${pool}|${key}`]) add(limit, 1);
  }
  return { totals: Object.fromEntries(limitsIn(read.totals)), parts };
}

/** The limits among the fields and values of a hash, which follow each other. */
function limitsIn(flat: readonly string[]): (readonly [string, number])[] {
  return flat.flatMap((field, i) => (i % 2 === 0 && LIMIT.test(field) ? [[field, Number(flat[i + 1])] as const] : []));
}

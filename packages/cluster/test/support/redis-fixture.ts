/** One test's corner of a shared Redis: its own prefix, its own client, and a clock that the test moves. */
import { randomUUID } from "node:crypto";
import { Redis } from "ioredis";
import { connectionOptions } from "../../src/redis/connect";
import { type Keys, makeKeys } from "../../src/redis/keys";
import { RedisScripts } from "../../src/redis/scripts";

export interface RedisFixture {
  readonly client: Redis;
  readonly keys: Keys;
  readonly prefix: string;
  /** Scripts on the real Redis clock. */
  readonly scripts: RedisScripts;
  /** Scripts on a clock that stands still until `setTime`. */
  readonly timedScripts: RedisScripts;
  setTime(ms: number): Promise<void>;
  /** Deletes all keys under the prefix. */
  clear(): Promise<void>;
  close(): Promise<void>;
}

/** Address of the Redis that integration tests use. */
export function testRedisUrl(): string {
  const url = process.env.TEST_REDIS_URL;
  if (url === undefined || url === "") throw new Error("TEST_REDIS_URL is not set: these tests need a real Redis");
  return url;
}

export async function openRedis(url = testRedisUrl()): Promise<RedisFixture> {
  const options = connectionOptions({
    url,
    isCluster: false,
    sentinels: [],
    sentinelName: null,
    connectTimeoutMs: 5000,
  });
  const client = new Redis(url, { ...options, lazyConnect: true });
  await client.connect();
  const prefix = `test-${randomUUID()}`;
  const clockKey = `${prefix}:clock`;
  const clear = async () => {
    const names = await client.keys(`${prefix}*`);
    if (names.length > 0) await client.del(...names);
  };
  return {
    client,
    prefix,
    keys: makeKeys({ prefix, isCluster: false }),
    scripts: new RedisScripts(client),
    timedScripts: new RedisScripts(client, (text) => readClockFrom(text, clockKey)),
    setTime: async (ms) => void (await client.set(clockKey, Math.floor(ms))),
    clear,
    async close() {
      await clear();
      client.disconnect();
    },
  };
}

/** The script with its `now_ms` reading a key that the test sets, so that scripts and model share one clock. */
function readClockFrom(text: string, key: string): string {
  const clock = /local function now_ms\(\)[\s\S]*?\nend/;
  if (!clock.test(text)) throw new Error("the scripts' clock function was not found");
  return text.replace(clock, `local function now_ms() return tonumber(redis.call('GET', '${key}')) end`);
}

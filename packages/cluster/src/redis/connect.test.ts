import { describe, expect, it } from "vitest";
import { connectionOptions } from "./connect";

describe("every Redis connection", () => {
  const options = connectionOptions({
    url: "redis://127.0.0.1:1",
    isCluster: false,
    sentinels: [],
    sentinelName: null,
    connectTimeoutMs: 2000,
  });

  it("sends each command by itself: automatic pipelining fails whole batches and picks wrong nodes", () => {
    expect(options.enableAutoPipelining).toBe(false);
  });

  it("queues nothing while disconnected and sends nothing twice", () => {
    expect(options.enableOfflineQueue).toBe(false);
    expect(options.autoResendUnfulfilledCommands).toBe(false);
    expect(options.maxRetriesPerRequest).toBe(0);
  });

  it("tries to reconnect several times a second for ever", () => {
    for (const attempt of [1, 10, 100_000]) expect(options.retryStrategy?.(attempt)).toBeLessThanOrEqual(250);
  });

  it("leaves a primary that has become read-only", () => {
    expect(options.reconnectOnError?.(new Error("READONLY You can't write against a read only replica."))).toBe(true);
    expect(options.reconnectOnError?.(new Error("WRONGTYPE"))).toBe(false);
  });
});

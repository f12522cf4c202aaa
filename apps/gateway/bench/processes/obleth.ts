/** The gateway with everything on: key look-up, budgets, admission, usage records. Its only model sends to argv[2]. */
import { mkdtempSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SystemClock } from "@obleth/clock";
import { MemoryBudgets } from "@obleth/cluster";
import { poolId, tenantId } from "@obleth/fairshare";
import { createProxyListener, PROXY_SERVER_OPTIONS } from "../../src/proxy/proxy-listener";
import { endpoint, key, model, SECRET, SETTINGS, tenant } from "../../src/proxy/testing/rig";
import { Scheduler } from "../../src/scheduler/scheduler";
import { SpillFile } from "../../src/usage/spill-file";
import { UsageRecorder } from "../../src/usage/usage-recorder";
import { reportReady } from "./control";

const clock = new SystemClock();
const size = Number(process.argv[3] ?? 1024);
const scheduler = new Scheduler({ engine: {}, clock, timeoutMs: 600_000 });
scheduler.setPool({
  kind: "pool_changed",
  pool: poolId("m"),
  size,
  admissionWeight: 100,
  affinity: null,
  routed: true,
  hasServers: true,
  queueWithoutServers: false,
});
const models = [model([endpoint(`http://127.0.0.1:${process.argv[2]}/v1`)], { maxInFlight: size })];
const limited = tenant({
  id: tenantId("t1"),
  tokensPerMinute: 1e12,
  budget: { tokens: 1e15, costUsd: null, period: "monthly", startedAtMs: null },
});
const keys = new Map([[SECRET, key({ tenant: limited })]]);
const nothing = (): void => {};
const listener = createProxyListener({
  keys: { find: (secret) => keys.get(secret) },
  models: { find: (name) => models.find((record) => record.name === name), list: () => models },
  admission: scheduler,
  budgets: new MemoryBudgets(clock),
  usage: new UsageRecorder({
    insert: async (batch) => void JSON.stringify(batch),
    clock,
    spill: new SpillFile(join(mkdtempSync(join(tmpdir(), "obleth-bench-")), "usage.ndjson")),
    events: { spilled: nothing, dropped: nothing, insertFailed: nothing },
  }),
  clock,
  settings: SETTINGS,
  log: { info: nothing, warn: nothing, error: console.error, isLevelEnabled: () => false },
  events: {
    requestFinished: nothing,
    budgetsUnavailable: nothing,
    attemptFinished: nothing,
    endpointHealthChanged: nothing,
  },
  tracing: null,
  random: () => 0.5,
});
const server = createServer(PROXY_SERVER_OPTIONS);
listener.attachTo(server);
server.listen(0, "127.0.0.1", () => reportReady(server));

import type { PoolSnapshot } from "@obleth/fairshare";
import { beforeEach, describe, expect, it } from "vitest";
import type { UsageRecord } from "../usage/usage-record";
import { AFFINITY_EVENTS, MODES } from "./metric-labels";
import { METRICS, renderMetricsPage } from "./metric-names";
import { Metrics } from "./metrics";
import { sampleEngine, sampleMoment, samplePoolRow, sampleTenantRow } from "./testing/snapshot-samples";

let pools: PoolSnapshot[];
let metrics: Metrics;
let known: (name: string) => boolean;

beforeEach(() => {
  pools = [];
  known = () => true;
  metrics = new Metrics({
    snapshot: () => sampleEngine(pools),
    fleet: () => sampleMoment(sampleEngine([])).fleet,
    isKnownModel: (name) => known(name),
    usageQueued: () => 4,
    heldBodyBytes: () => 1234,
    unhealthyEndpoints: () => 1,
    configVersion: () => 7,
    isReady: () => true,
    version: "1.2.3",
  });
});

const usage: UsageRecord = {
  requestId: "r",
  tsMs: 1,
  tenantId: "tenant-canary",
  keyId: "key-canary",
  model: "sim-chat",
  endpointId: null,
  admission: "queued",
  outcome: "completed",
  weight: 100,
  estimatedTokens: 10,
  inputTokens: 30,
  cachedTokens: null,
  outputTokens: 12,
  queueWaitMs: 40,
  ttftMs: 90,
  totalMs: 900,
  statusCode: 200,
  costUsd: null,
  sessionId: "session-canary",
  sessionSource: "client",
  protocol: "openai",
  replica: "gateway-1",
};

async function lines(): Promise<string[]> {
  return (await metrics.page()).body.split("\n");
}

describe("the metrics page", () => {
  it("has every documented series, and the process's own", async () => {
    metrics.requestFinished(usage);
    metrics.upstreamAttempt("answered");
    metrics.budgetsUnavailable(true);
    metrics.configChanged("tenant");
    metrics.affinityEvent("hold", 2);
    metrics.slotCall("claim", "granted", 0.4);
    metrics.slotsRepaired({ reclaimedSlots: 1, ownDrift: 0, totalDrift: 0 });
    pools = [samplePoolRow("sim-chat")];
    const page = await lines();
    for (const name of [
      ...Object.keys(METRICS),
      "process_cpu_user_seconds_total",
      "nodejs_eventloop_lag_p99_seconds",
    ]) {
      expect(
        page.some((line) => line.startsWith(`# TYPE ${name} `)),
        name,
      ).toBe(true);
      expect(
        page.some((line) => new RegExp(`^${name}(_bucket|_sum|_count)?[{ ]`).test(line)),
        name,
      ).toBe(true);
    }
    expect(Object.keys(METRICS).every((name) => renderMetricsPage().includes(`| \`${name}\` |`))).toBe(true);
  });

  it("counts a finished request by admission and status, its waits and its tokens", async () => {
    metrics.requestFinished(usage);
    metrics.requestFinished({ ...usage, admission: "rejected", statusCode: 429, ttftMs: null, inputTokens: null });
    const page = await lines();
    expect(page).toContain('obleth_requests_total{admission="queued",status="200"} 1');
    expect(page).toContain('obleth_requests_total{admission="rejected",status="429"} 1');
    expect(page).toContain("obleth_queue_wait_ms_count 1");
    expect(page).toContain("obleth_total_ms_count 2");
    expect(page).toContain("obleth_input_tokens_total 30");
    expect(page).toContain("obleth_output_tokens_total 24");
  });

  it("shows what is held at the moment it is asked", async () => {
    const page = await lines();
    expect(page).toContain("obleth_body_memory_bytes 1234");
    expect(page).toContain("obleth_usage_queued 4");
  });

  it("counts repaired slots by what was wrong, whichever way", async () => {
    metrics.slotsRepaired({ reclaimedSlots: 7, ownDrift: 0, totalDrift: -3 });
    metrics.slotsRepaired({ reclaimedSlots: 0, ownDrift: 2, totalDrift: 1 });
    const page = await lines();
    expect(page).toContain('obleth_fairshare_slots_repaired_total{what="expired"} 7');
    expect(page).toContain('obleth_fairshare_slots_repaired_total{what="own"} 2');
    expect(page).toContain('obleth_fairshare_slots_repaired_total{what="total"} 4');
  });

  it("never names a tenant, a key or a session", async () => {
    metrics.requestFinished(usage);
    expect((await lines()).join("\n")).not.toContain("canary");
  });

  it("drops the series of a pool that is gone", async () => {
    pools = [samplePoolRow("old", { tenants: [sampleTenantRow("t", { inFlight: 2 })] })];
    expect(await lines()).toContain('obleth_pool_in_flight{model="old"} 2');
    pools = [];
    expect((await lines()).join("\n")).not.toContain('model="old"');
  });

  it("folds unknown names, and models past the limit, into one series", async () => {
    const busy = (name: string, inFlight: number) =>
      samplePoolRow(name, { tenants: [sampleTenantRow("t", { inFlight })] });
    known = (name) => name !== "stranger";
    pools = [busy("stranger", 1), ...Array.from({ length: 250 }, (_, i) => busy(`m${i}`, i === 249 ? 5 : 2))];
    const page = await lines();
    const series = page.filter((line) => line.startsWith("obleth_pool_in_flight{"));
    expect(series).toHaveLength(201);
    expect(series).toContain('obleth_pool_in_flight{model="m249"} 5');
    expect(series).toContain('obleth_pool_in_flight{model="(other)"} 101');
  });

  it("stays valid text with any model name", async () => {
    pools = [samplePoolRow('a"b\\c\nd')];
    expect(await lines()).toContain('obleth_pool_cap{model="a\\"b\\\\c\\nd"} 8');
  });

  it("shows 1 for the mode in force and 0 for every other", async () => {
    const page = await lines();
    const shown = MODES.map((mode) => page.find((line) => line.includes(`_mode{mode="${mode}"}`))?.at(-1));
    expect(shown).toEqual(["1", "0", "0", "0"]);
    expect(AFFINITY_EVENTS).toContain("redeem");
  });
});

import type { FairshareLive, LivePool, LiveTenant } from "@obleth/contract";
import { describe, expect, it } from "vitest";
import { widthOf } from "../output/plain-text";
import { picture } from "./picture";

const counts = { in_flight: 0, queued: 0, held: 0 };
const standing = { served_tokens: 0, share_score: 0, weight_share: 0, expected_slots: 0 };

const tenant = (over: Partial<LiveTenant>): LiveTenant => ({
  tenant_id: "t",
  name: "nightly",
  group: "default",
  weight: 50,
  effective_weight: 50,
  boost: null,
  max_in_flight: null,
  cap_source: null,
  ...counts,
  slot_share: 1,
  borrowed: 0,
  ...standing,
  oldest_wait_ms: null,
  below_share: false,
  at_cap: false,
  position: null,
  reason: "not_waiting",
  above_share_ms: null,
  ...over,
});

const pool = (over: Partial<LivePool>): LivePool => ({
  model: "llama",
  cap: 8,
  configured_cap: 8,
  usable: 8,
  admission_weight: 100,
  capacity_state: "ok",
  no_servers_cause: null,
  ...counts,
  borrowed: 0,
  oldest_wait_ms: null,
  cluster_in_flight: null,
  replica_in_flight: 0,
  replica_queued: 0,
  virtual_time: 0,
  finishes_5m: 0,
  tenants_total: 0,
  keys_total: 0,
  tenants_active: 0,
  tenants_below_share: 0,
  tenants_below_share_urgent: 0,
  waiting_by_reason: {},
  groups: [],
  ...over,
});

const live = (pools: LivePool[], over: Partial<FairshareLive> = {}): FairshareLive => ({
  algorithm: "hierarchical",
  mode: "local",
  mode_since_ts_ms: 0,
  shared_slots: true,
  replica_aware: true,
  replicas: 1,
  scope: "replica",
  scope_reason: null,
  replicas_reporting: 1,
  state_age_ms: 0,
  instance: "a",
  started_ts_ms: 0,
  config_version: 1,
  ts_ms: Date.UTC(2026, 0, 1, 3, 12, 7),
  max_in_flight: 40,
  configured_max_in_flight: 40,
  hard_ceiling: 4096,
  configured_hard_ceiling: 4096,
  ceiling_reached: false,
  default_model_max_in_flight: 32,
  ...counts,
  borrowed: 0,
  cluster_in_flight: null,
  replica_in_flight: 0,
  replica_queued: 0,
  groups: [],
  pools,
  ...over,
});

const options = { pool: null, width: 120, timeZone: "UTC" };

describe("the picture of every pool", () => {
  it("says how full each is, who waits how long and for what", () => {
    const full = pool({
      in_flight: 6,
      held: 2,
      queued: 31,
      oldest_wait_ms: 4200,
      waiting_by_reason: { pool_full: 30, tenant_cap: 1 },
    });
    const [head, sums, , , row] = picture(live([full], { in_flight: 6, queued: 31, held: 2 }), options);
    expect(head).toBe("obleth at 03:12:07: 1 gateway, limits held locally");
    expect(sums).toBe("6 of 40 slots in use, 31 queued, 2 held, 0 borrowed; ceiling 4,096");
    expect(row).toMatch(/^llama {2}\[#########\+\+\+\] +8\/8 +31 +4\.2 s +2 +0 +0 {2}Pool full$/);
  });

  it.each([
    [1, 8, "[##..........]"],
    [1, 1000, "[#...........]"],
    [8, 8, "[############]"],
    [12, 8, "[############]"],
    [0, 0, "[------------]"],
  ])("draws %d of %d as %s", (inFlight, cap, bar) => {
    expect(picture(live([pool({ in_flight: inFlight, cap })]), options).join("\n")).toContain(bar);
  });

  it("names a pool without servers before anything else", () => {
    const lines = picture(live([pool({ capacity_state: "no_servers" })]), options);
    expect(lines.at(-1)).toMatch(/No servers$/);
  });

  it("says when it is not the whole fleet", () => {
    const part = { replicas: 3, replicas_reporting: 2, scope_reason: "views cannot be read" };
    expect(picture(live([], part), options)[0]).toBe(
      "obleth at 03:12:07: 2 of 3 gateways, limits held locally, this gateway's view only (views cannot be read)",
    );
  });
});

describe("on a screen of 80 cells", () => {
  const model = "meta-llama/Llama-3.3-70B-Instruct-AWQ";
  const full = pool({
    model,
    cap: 32,
    in_flight: 30,
    held: 2,
    queued: 1234,
    oldest_wait_ms: 61_000,
    waiting_by_reason: { fallback_split: 1234 },
    tenants: [
      tenant({
        name: "a-long-tenant-name-of-marketing",
        group: "interactive-users",
        in_flight: 12,
        queued: 1000,
        slot_share: 16,
        oldest_wait_ms: 61_000,
        reason: "below_share",
      }),
    ],
    tenants_total: 1,
  });

  it("a pool's name gives way to how full it is, who waits how long, and for what", () => {
    const lines = picture(live([full]), { ...options, width: 80 });
    for (const line of lines.slice(3)) expect(widthOf(line)).toBeLessThanOrEqual(80);
    expect(lines.at(-1)).toMatch(/^meta-llama\S+… {2}\[#{11}\+\] +32\/32 +1,234 +61 s +2 +Split bet/);
  });

  it("a tenant's row still says what it has, is due and waits for", () => {
    const lines = picture(live([full]), { ...options, width: 80, pool: model });
    for (const line of lines.slice(3)) expect(widthOf(line)).toBeLessThanOrEqual(80);
    expect(lines.at(-1)).toMatch(/^a-long-ten\S+… +interac\S*… +50 +12 +16 +1,000 +61 s +Below share$/);
  });
});

describe("the picture of one pool", () => {
  const one = { ...options, pool: "llama" };

  it("says what each tenant has, is due and waits for", () => {
    const tenants = [tenant({ in_flight: 1, queued: 3, slot_share: 2, oldest_wait_ms: 900, reason: "below_share" })];
    const row = picture(live([pool({ tenants, tenants_total: 1 })]), one).at(-1);
    expect(row).toMatch(/^nightly {2}default +50 +1 +2 +0\.00 +0 +3 +<1 s {2}Below share$/);
  });

  it("says when only the busiest are listed", () => {
    const lines = picture(live([pool({ tenants: [tenant({})], tenants_total: 900 })]), one);
    expect(lines.at(-1)).toBe("The busiest 1 of 900 tenants; totals include all.");
  });

  it("says when there is none", () => {
    expect(picture(live([]), one).at(-1)).toMatch(/^Nothing runs or waits on llama/);
  });

  it("keeps hostile names on their line and inside the screen", () => {
    const name = `\u001b]0;x\u0007\n\u202e${"長".repeat(100)}`;
    const lines = picture(live([pool({ model: name, tenants: [tenant({ name, group: name })], tenants_total: 1 })]), {
      ...one,
      width: 60,
    });
    for (const line of lines) {
      expect(line).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    }
    for (const line of lines.slice(3)) expect(widthOf(line)).toBeLessThanOrEqual(60);
  });
});

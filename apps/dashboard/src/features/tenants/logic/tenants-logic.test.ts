import { describe, expect, it } from "vitest";
import type { Tenant } from "../../../queries/wire";
import { limitsBody, limitsChanges, limitsDraft, limitsErrors } from "./limits-draft";
import { matchesTenant, tenantRows, tenantsAnswer } from "./tenant-rows";

const tenant: Tenant = {
  id: "t",
  name: "nightly",
  group: "batch",
  weight: 50,
  max_in_flight: null,
  model_caps: [],
  tokens_per_minute: null,
  budget_tokens: 1000,
  budget_cost_usd: null,
  budget_period: "monthly",
  budget_started_at: null,
  budget_state: { used_tokens: 900, used_cost_usd: 0, reserved_tokens: 0, resets_ts_ms: null },
  status: "active",
  timezone: "UTC",
  active_from: null,
  active_until: null,
  weekly_windows: [],
  allowed_models: null,
  description: "",
  key_count: 1,
  created_at: "2026-01-01T00:00:00Z",
  updated_at: "2026-01-01T00:00:00Z",
  version: 1,
};
const live = { tenant_id: "t", in_flight: 2, held: 1, queued: 4, below_share: true, boost: null };

const whole = (rows: { tenant_id: string; requests: number }[]) => ({ rows, truncated: false });

describe("the list of tenants", () => {
  const rows = tenantRows({
    tenants: [tenant],
    live: [live],
    boosts: [],
    usage: whole([{ tenant_id: "t", requests: 7 }]),
  });
  it("joins what is configured, live and used", () => {
    expect(rows[0]).toMatchObject({ inUse: 3, queued: 4, isBelow: true, requests: 7, budget: { part: 0.9 } });
    expect(tenantsAnswer(rows)).toBe("1 tenant, 1 waits, 1 below its share, 1 near a budget's end.");
  });
  it("shows nobody as idle while what runs is not known", () => {
    const unknown = tenantRows({ tenants: [tenant], live: null, boosts: [], usage: null });
    expect(unknown[0]).toMatchObject({ inUse: null, queued: null, isBelow: false, requests: null });
    expect(tenantsAnswer(unknown)).toBe("1 tenant, 1 near a budget's end.");
    const cut = tenantRows({ tenants: [tenant], live: null, boosts: [], usage: { rows: [], truncated: true } });
    expect(cut[0]?.requests).toBeNull();
    const idle = tenantRows({ tenants: [tenant], live: [], boosts: [], usage: whole([]) });
    expect(idle[0]).toMatchObject({ inUse: 0, queued: 0, requests: 0 });
    expect(tenantsAnswer(idle)).toBe("1 tenant, none waits, 1 near a budget's end.");
  });
  it("filters by what is asked", () => {
    const all = { text: "", group: null, isSuspended: false, isWaiting: false, isNearBudget: false, isBoosted: false };
    const [row] = rows;
    if (row === undefined) throw new Error("no row");
    expect(matchesTenant(row, { ...all, text: "NIGHT", group: "batch", isWaiting: true, isNearBudget: true })).toBe(
      true,
    );
    expect(matchesTenant(row, { ...all, isSuspended: true })).toBe(false);
    expect(matchesTenant(row, { ...all, isBoosted: true })).toBe(false);
  });
});

describe("a tenant's limits", () => {
  it("send only what changed, and preview what moves slots", () => {
    const draft = { ...limitsDraft(tenant), weight: "120", cap: "8", budgetTokens: "" };
    const body = limitsBody(draft, tenant);
    expect(body).toEqual({ weight: 120, max_in_flight: 8, budget_tokens: null });
    expect(limitsChanges(body, "t").map((change) => change.kind)).toEqual(["tenant_weight", "tenant_cap"]);
    expect(limitsBody(limitsDraft(tenant), tenant)).toEqual({});
  });
  it("keep a large budget to the token, and refuse one that a number cannot hold exactly", () => {
    const typed = (budgetTokens: string) => ({ ...limitsDraft(tenant), budgetTokens });
    expect(limitsBody(typed("9,007,199,254,740,991"), tenant)).toEqual({ budget_tokens: Number.MAX_SAFE_INTEGER });
    for (const text of ["9007199254740993", "9000000000000000000", "1e18"]) {
      expect(limitsErrors(typed(text)).budgetTokens, text).toContain("9,007,199,254,740,991");
      expect(limitsBody(typed(text), tenant)).toEqual({});
    }
  });
  it("never read a cost budget that is no amount as none", () => {
    const typed = (budgetCost: string) => ({ ...limitsDraft({ ...tenant, budget_cost_usd: 50 }), budgetCost });
    for (const text of ["Infinity", "1e999", "1e10", "$5", "0", "-1", "0x10", "2000000000", "12,5", "1,25,000"]) {
      expect(limitsErrors(typed(text)).budgetCost, text).toContain("above 0");
      expect(limitsBody(typed(text), { ...tenant, budget_cost_usd: 50 }), text).toEqual({});
    }
    expect(limitsBody(typed("1,250.50"), tenant)).toEqual({ budget_cost_usd: 1250.5 });
    expect(limitsBody(typed(""), { ...tenant, budget_cost_usd: 50 })).toEqual({ budget_cost_usd: null });
  });
  it("refuse what is no limit", () => {
    const errors = limitsErrors({
      ...limitsDraft(tenant),
      cap: "0",
      tokensPerMinute: "1.5",
      budgetCost: "-1",
      weight: "",
    });
    expect(
      Object.entries(errors)
        .filter(([, error]) => error !== null)
        .map(([name]) => name),
    ).toEqual(["weight", "cap", "tokensPerMinute", "budgetCost"]);
  });
});

/**
 * The numbers of the Fairshare pages against the API's answers, state by state. It is compared inside the page, where
 * many states pass in seconds, and shares no code with the product: what a page should show is worked out here from
 * the JSON.
 */
import type { Page } from "@playwright/test";

/** Which numbers: those of the list of pools and of all groups, or those of the open pool's tenants. */
export type Shown = "list" | "pool";

export interface Compared {
  /** Different states that the page showed without a fault. */
  readonly states: number;
  /** What kept the last state from being shown as it was given; empty when all were. */
  readonly faults: readonly string[];
}

/** Keeps the live answers that the page reads from its next load on. Call before `goto`. */
export async function keepAnswers(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const read = window.fetch;
    window.fetch = async (...asked) => {
      const response = await read(...asked);
      if (response.status === 200 && response.url.includes("/fairshare/live")) {
        (window as { liveAnswer?: unknown }).liveAnswer = await response.clone().json();
      }
      return response;
    };
  });
}

/** Lets the page read state after state, until so many were shown number by number as they were given. */
export async function compareStates(page: Page, shown: Shown, states: number): Promise<Compared> {
  return page.evaluate(compareInPage, { shown, states, withinMs: 140_000 });
}

interface Counts {
  readonly in_flight: number;
  readonly held: number;
  readonly queued: number;
}

interface Answer {
  readonly ts_ms: number;
  readonly groups: readonly (Counts & { name: string; slot_cap: number; borrowed: number })[];
  readonly pools: readonly (Counts & {
    model: string;
    cap: number;
    oldest_wait_ms: number | null;
    tenants_below_share: number;
    tenants?: readonly (Counts & {
      name: string;
      slot_share: number;
      oldest_wait_ms: number | null;
      position: number | null;
    })[];
  })[];
}

async function compareInPage(asked: { shown: Shown; states: number; withinMs: number }): Promise<Compared> {
  type Numbers = Map<string, string>;
  const inUse = (counts: Counts) => counts.in_flight + counts.held;
  const put = (numbers: Numbers, row: string, fields: Record<string, number | null>) => {
    for (const [field, value] of Object.entries(fields))
      numbers.set(`${row} ${field}`, value === null ? "" : `${value}`);
  };
  const given = (answer: Answer): Numbers => {
    const numbers: Numbers = new Map();
    if (asked.shown === "pool") {
      for (const tenant of answer.pools[0]?.tenants ?? []) {
        const { slot_share, queued, oldest_wait_ms, position } = tenant;
        put(numbers, tenant.name, { slot_share, in_use: inUse(tenant), queued, oldest_wait_ms, position });
      }
      return numbers;
    }
    for (const pool of answer.pools) {
      const { cap, queued, oldest_wait_ms, tenants_below_share } = pool;
      put(numbers, pool.model, { in_use: inUse(pool), cap, queued, oldest_wait_ms, tenants_below_share });
    }
    for (const group of answer.groups) {
      const { slot_cap, borrowed, queued } = group;
      put(numbers, `group ${group.name}`, { in_use: inUse(group), slot_cap, borrowed, queued });
    }
    return numbers;
  };
  const onPage = (): Numbers => {
    const numbers: Numbers = new Map();
    const rows = asked.shown === "pool" ? "[data-tenant]" : "[data-row], [data-group]";
    for (const row of document.querySelectorAll<HTMLElement>(rows)) {
      const { tenant, row: pool, group } = row.dataset;
      const name = asked.shown === "pool" ? tenant : (pool ?? `group ${group}`);
      for (const { dataset } of row.querySelectorAll<HTMLElement>("[data-field]")) {
        if (dataset.field === "state" || dataset.field === "standing") continue;
        numbers.set(`${name} ${dataset.field}`, dataset.value ?? "");
      }
    }
    return numbers;
  };
  const differences = (shown: Numbers, right: Numbers) =>
    [...new Set([...shown.keys(), ...right.keys()])]
      .filter((name) => shown.get(name) !== right.get(name))
      .map((name) => `${name}: ${shown.get(name) ?? "nothing"} instead of ${right.get(name) ?? "nothing"}`);
  const latest = () => (window as { liveAnswer?: Answer }).liveAnswer;
  const readAgain = () => document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "r", bubbles: true }));

  const compared = new Set<number>();
  const begunMs = performance.now();
  let faults: string[] = ["no state was read"];
  while (compared.size < asked.states && performance.now() - begunMs < asked.withinMs) {
    await new Promise(requestAnimationFrame);
    const answer = latest();
    if (answer === undefined || compared.has(answer.ts_ms)) continue;
    faults = differences(onPage(), given(answer));
    if (faults.length > 0) continue;
    compared.add(answer.ts_ms);
    readAgain();
  }
  return { states: compared.size, faults };
}

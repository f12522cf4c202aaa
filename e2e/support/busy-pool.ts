/** The sample model of 8 slots kept full by its two tenants, and how a page of it is read. */
import type { Page } from "@playwright/test";
import { type Load, startLoad } from "./load";
import type { Stack } from "./stack";

export const SAMPLE_SLOTS = 8;
export const SAMPLE_TENANTS = ["chatbot", "api-batch"] as const;

export interface BusyPool {
  readonly model: string;
  readonly stop: () => Promise<void>;
}

/** Both sample tenants send more than the sample model can run, until stopped. */
export async function startBusyPool(stack: Stack): Promise<BusyPool> {
  const models = await stack.management.call("listModels", {});
  const model = models.data.items.find((one) => one.max_in_flight === SAMPLE_SLOTS)?.name ?? "";
  const loads: Load[] = await Promise.all(
    SAMPLE_TENANTS.map(async (tenant) =>
      startLoad({ url: stack.urls.proxy, secret: await stack.makeKey(tenant), model, clients: 16, answerTokens: 40 }),
    ),
  );
  return { model, stop: async () => void (await Promise.all(loads.map((load) => load.stop()))) };
}

/** A number shown on the page, by its field, inside the first element that `within` finds. */
export async function shownValue(page: Page, within: string, field: string): Promise<number> {
  const text = await page.locator(within).first().locator(`[data-field="${field}"]`).first().getAttribute("data-value");
  return text === null || text === "" ? Number.NaN : Number(text);
}

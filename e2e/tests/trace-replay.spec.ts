import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "../support/fixtures";
import { ROOT } from "../support/stack";

interface Replay {
  readonly most_at_backend: number;
  readonly contended_ms: number;
  readonly tenants: { tenant: string; sent: number; answered: number; slots_held: number }[];
}

test("a replayed trace holds 7 and 1 of 8 slots while tenants weighted 500 and 50 both have work", async ({
  stack,
}) => {
  const models = await stack.management.call("listModels", {});
  const model = models.data.items.find((one) => one.max_in_flight === 8)?.name ?? "";
  const keys = await Promise.all(
    ["chatbot", "api-batch"].map(async (tenant) => ["--key", `${tenant}=${await stack.makeKey(tenant)}`]),
  );
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [
      // As slow as life: what the machine needs to hand a slot on is nothing beside an answer.
      ...["--import", "tsx", "scripts/replay-trace.ts", "--json", "--rows", "24", "--speed", "1", "--model", model],
      ...["--url", `${stack.urls.proxy}/v1`, "--sim", stack.simulator.url],
      ...keys.flat(),
    ],
    { cwd: ROOT },
  );
  const replay = JSON.parse(stdout) as Replay;
  expect(replay.most_at_backend).toBe(8);
  expect(replay.contended_ms).toBeGreaterThan(2000);
  expect(replay.tenants.map((one) => [one.tenant, one.answered])).toEqual([
    ["chatbot", 24],
    ["api-batch", 24],
  ]);
  const [chatbot, batch] = replay.tenants;
  // A slot that has just been handed on is empty for a moment, so the averages lie a little below.
  expect(chatbot?.slots_held).toBeGreaterThan(6.6);
  expect(chatbot?.slots_held).toBeLessThanOrEqual(7);
  expect(batch?.slots_held).toBeGreaterThan(0.9);
  expect(batch?.slots_held).toBeLessThanOrEqual(1);
});

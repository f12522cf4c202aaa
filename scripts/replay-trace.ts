/**
 * Replays a slice of a public trace through a running gateway as two tenants at once, and prints what each got.
 *
 *   npm start                 in one terminal
 *   npm run replay            in another
 *
 *   --url URL                 the gateway's API           (http://127.0.0.1:8080/v1)
 *   --sim URL                 the simulated backend       (http://127.0.0.1:9400)
 *   --key TENANT=SECRET       twice; otherwise the keys the first run made for chatbot and api-batch
 *   --model NAME              the pool to fill            (the sample model)
 *   --speed N                 times faster than life      (10)
 *   --rows N                  of the slice, per tenant    (120)
 *   --trace FILE --json
 */
import path from "node:path";
import { parseArgs } from "node:util";
import { ROOT } from "./launch/environment.mjs";
import { readFirstRun } from "./launch/first-run.mjs";
import { exitWith, Refusal } from "./launch/refusal.mjs";
import { BackendRecord } from "./replay/backend-visits";
import { type Sent, sendTrace } from "./replay/send-trace";
import { contention, settled, slotsHeld } from "./replay/slots-held";
import { readTrace } from "./replay/trace";

await exitWith(async () => {
  const options = readOptions();
  const rows = readTrace(options.trace).slice(0, options.rows);
  const backend = new BackendRecord(options.sim);
  const speedBefore = await backend.setSpeed(options.speed).catch(() => {
    throw new Refusal(`No simulated backend at ${options.sim}; is npm start running?`);
  });
  await backend.reset();
  try {
    const sent = await Promise.all(
      options.keys.map(([tenant, secret]) => sendTrace(rows, { ...options, tenant, secret })),
    );
    const result = await summarise(sent.flat(), backend, options);
    if (options.isJson) console.log(JSON.stringify(result));
    else print(result);
    return result.tenants.every((tenant) => tenant.failed === 0) ? 0 : 1;
  } finally {
    await backend.setSpeed(speedBefore);
  }
});

function readOptions() {
  const { values } = parseArgs({
    options: {
      url: { type: "string", default: "http://127.0.0.1:8080/v1" },
      sim: { type: "string", default: "http://127.0.0.1:9400" },
      key: { type: "string", multiple: true, default: [] },
      model: { type: "string" },
      speed: { type: "string", default: "10" },
      rows: { type: "string", default: "120" },
      trace: { type: "string", default: path.join(ROOT, "e2e/data/azure_conv_slice.csv") },
      json: { type: "boolean", default: false },
    },
  });
  const firstRun = readFirstRun(path.resolve(ROOT, process.env.OBLETH_DATA_DIR || ".obleth"));
  const given = values.key.map((one): [string, string] => [
    one.slice(0, one.indexOf("=")),
    one.slice(one.indexOf("=") + 1),
  ]);
  const keys = given.length > 0 ? given : Object.entries(firstRun.keys).slice(0, 2);
  const model = values.model ?? firstRun.model;
  if (keys.length !== 2 || model === undefined)
    throw new Refusal("Give two --key TENANT=SECRET and a --model, or run npm start first.");
  return {
    baseUrl: values.url,
    sim: values.sim,
    keys,
    model,
    speed: Number(values.speed),
    rows: Number(values.rows),
    trace: values.trace,
    isJson: values.json,
  };
}

type Options = ReturnType<typeof readOptions>;

async function summarise(sent: readonly Sent[], backend: BackendRecord, options: Options) {
  const names = options.keys.map(([tenant]) => tenant);
  const visits = await backend.visits(options.model);
  const known = sent.flatMap((one) => {
    const visit = visits.get(one.marker);
    return visit === undefined ? [] : [{ tenant: one.tenant, queueWaitMs: one.queueWaitMs, ...visit }];
  });
  // A request reached the gateway as long before the backend as it waited for its slot.
  const waiting = known.map(({ tenant, fromMs, queueWaitMs }) => ({
    tenant,
    fromMs: fromMs - queueWaitMs,
    toMs: fromMs,
  }));
  const both = contention(waiting, names);
  const period = both === undefined ? { fromMs: 0, toMs: 0 } : settled(both, known);
  return {
    model: options.model,
    most_at_backend: await backend.highWater(options.model),
    contended_ms: Math.round(period.toMs - period.fromMs),
    tenants: names.map((tenant) => {
      const own = sent.filter((one) => one.tenant === tenant);
      const held = slotsHeld(known, tenant, period);
      const waits = own.map((one) => one.queueWaitMs).sort((a, b) => a - b);
      return {
        tenant,
        sent: own.length,
        answered: own.filter((one) => one.isAnswered).length,
        failed: own.filter((one) => !one.isAnswered).length,
        first_error: own.find((one) => one.error !== null)?.error ?? null,
        prompt_tokens: own.reduce((sum, one) => sum + one.promptTokens, 0),
        answer_tokens: own.reduce((sum, one) => sum + one.answerTokens, 0),
        median_wait_ms: waits[Math.floor(waits.length / 2)] ?? 0,
        longest_wait_ms: waits.at(-1) ?? 0,
        done_after_ms: Math.round(
          Math.max(...own.map((one) => one.endedMs)) - Math.min(...own.map((one) => one.sentMs)),
        ),
        slots_held: Math.round(held.mean * 100) / 100,
        most_slots_held: held.most,
      };
    }),
  };
}

function print(result: Awaited<ReturnType<typeof summarise>>): void {
  console.log(`${result.model}: at most ${result.most_at_backend} requests at the backend at once`);
  console.log(
    `both tenants had work waiting for ${(result.contended_ms / 1000).toFixed(1)} s; the slots held are of that time\n`,
  );
  console.table(
    Object.fromEntries(
      result.tenants.map((one) => [
        one.tenant,
        {
          answered: `${one.answered} of ${one.sent}`,
          "tokens in": one.prompt_tokens,
          "tokens out": one.answer_tokens,
          "median wait s": one.median_wait_ms / 1000,
          "longest wait s": one.longest_wait_ms / 1000,
          "done after s": one.done_after_ms / 1000,
          "slots held": one.slots_held,
        },
      ]),
    ),
  );
  for (const { tenant, first_error } of result.tenants)
    if (first_error !== null) console.error(`${tenant}: ${first_error}`);
}

/**
 * `npm run sim`: random histories without end in sight, each judged by the slow model.
 *
 *   --events N   events in all (default 1,000,000)
 *   --seed S     first seed (default 1); the following ones are S + 1, S + 2, ...
 *   --seeds K    at most so many seeds
 *   --each E     events of one history (default 1000)
 *
 * Prints one line that replays each failure; exits with 1 when there was one.
 */
import { parseArgs } from "node:util";
import { replayLine, runSeed } from "./run-seed";

const { values } = parseArgs({
  options: {
    events: { type: "string", default: "1000000" },
    seed: { type: "string", default: "1" },
    seeds: { type: "string", default: "1000000000" },
    each: { type: "string", default: "1000" },
  },
});
const wanted = Number(values.events);
const first = Number(values.seed);
const mostSeeds = Number(values.seeds);
const each = Number(values.each);
const startedMs = performance.now();
const REPORT_EVERY_MS = 30_000;

let events = 0;
let seeds = 0;
let failures = 0;
let reportedMs = startedMs;
const report = (word: string) => {
  const seconds = (performance.now() - startedMs) / 1000;
  const last = first + seeds - 1;
  console.log(
    `${word}: ${events.toLocaleString("en")} events, seeds ${first} to ${last}, ${failures} failures, ${seconds.toFixed(0)} s`,
  );
};
while (events < wanted && seeds < mostSeeds) {
  const result = runSeed(first + seeds, { events: each, readEvery: 64 });
  events += result.events;
  seeds += 1;
  if (result.breach !== undefined) {
    failures += 1;
    console.log(replayLine(result));
  }
  if (performance.now() - reportedMs > REPORT_EVERY_MS) {
    reportedMs = performance.now();
    report("so far");
  }
}
report(failures === 0 ? "all properties held" : "FAILED");
process.exitCode = failures === 0 ? 0 : 1;

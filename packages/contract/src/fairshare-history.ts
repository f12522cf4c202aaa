/** Two-second samples of the answering replica, for one model or all pools. Missing samples stay missing. */
import { z } from "zod";
import { count, idOrName, tsMs } from "./common";

export const historyPoint = z.strictObject({
  ts_ms: tsMs,
  in_flight: count,
  queued: count,
  held: count,
  cap: count,
  groups: z.record(z.string(), count).describe("Group name to requests running."),
  affinity: z
    .strictObject({ hold: count, redeem: count, expire: count })
    .optional()
    .describe("Events since the sample before; only with `model`."),
});
export type HistoryPoint = z.infer<typeof historyPoint>;

export const fairshareHistory = z
  .strictObject({
    instance: z.string(),
    started_ts_ms: tsMs,
    interval_ms: count,
    retention_ms: count.describe("0: history is off."),
    oldest_ts_ms: tsMs.nullable(),
    points: z.array(historyPoint).describe("Ascending."),
  })
  .meta({ id: "FairshareHistory" });
export type FairshareHistory = z.infer<typeof fairshareHistory>;

export const historyQuery = z.strictObject({
  model: idOrName.optional(),
  since_ms: tsMs.optional().describe("Inclusive."),
});
export type HistoryQuery = z.infer<typeof historyQuery>;

/** Session affinity of one model. What is left out follows the gateway; `{}` follows it in everything. */
import { z } from "zod";
import { MAX_BYPASS_SECS, MAX_HOLD_MS } from "./bounds";

export const sessionAffinity = z
  .strictObject({
    enabled: z.boolean().optional(),
    hold_ms: z.int().min(0).max(MAX_HOLD_MS).optional(),
    max_held_percent: z.int().min(0).max(100).optional(),
    max_bypass_secs: z.int().min(1).max(MAX_BYPASS_SECS).optional(),
  })
  .meta({ id: "SessionAffinity" });
export type SessionAffinity = z.infer<typeof sessionAffinity>;

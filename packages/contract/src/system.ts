/** Health, version and the whole configuration as one file. */
import { z } from "zod";
import { configBoost } from "./boosts";
import { isoTimeOut, slots } from "./common";
import { configGroup } from "./groups";
import { configKey } from "./keys";
import { configModel } from "./models";
import { configTenant } from "./tenants";

export const health = z.strictObject({ status: z.enum(["ok", "draining"]) }).meta({ id: "Health" });
export const versionInfo = z
  .strictObject({ name: z.literal("obleth"), version: z.string(), commit: z.string().nullable() })
  .meta({ id: "Version" });

export const CONFIG_FORMAT = "obleth.config/1";
/** Everything an installation is configured with; no users and no usage. Secrets are hashes or sealed. */
export const configFile = z
  .strictObject({
    format: z.literal(CONFIG_FORMAT),
    exported_at: isoTimeOut.optional(),
    groups: z.array(configGroup).max(10_000),
    models: z.array(configModel).max(10_000),
    tenants: z.array(configTenant).max(100_000),
    keys: z.array(configKey).max(500_000),
    boosts: z.array(configBoost).max(100_000),
    global_max_in_flight: slots.nullable(),
  })
  .meta({ id: "ConfigFile" });
export type ConfigFile = z.infer<typeof configFile>;

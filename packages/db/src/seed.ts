/** The sample a first run starts with: two tenants of unequal weight in groups of their own, and one model. */
import { sql } from "drizzle-orm";
import type { Db } from "./client";
import { type ChangeContext, change } from "./commands/change";
import { addGroup } from "./commands/create-group";
import { addKey, type StoredSecret } from "./commands/create-key";
import { addModel } from "./commands/create-model";
import { addTenant } from "./commands/create-tenant";
import type { ModelFields } from "./commands/model-fields";
import type { TenantFields } from "./commands/tenant-fields";

/** Weights 500 and 50 over 8 slots give 7 and 1: small enough to follow by eye. */
export const SAMPLE_TENANTS = [
  { name: "chatbot", group: "chatbot", weight: 500, description: "A chat assistant that people wait for." },
  { name: "api-batch", group: "api", weight: 50, description: "Batch jobs that can wait." },
] as const;
export const SAMPLE_MODEL = { name: "sim-chat", slots: 8 } as const;

export type SampleTenantName = (typeof SAMPLE_TENANTS)[number]["name"];

export interface Sample {
  /** Where the model's endpoint answers, up to and including `/v1`. */
  readonly apiBase: string;
  readonly secretOf: (tenant: SampleTenantName) => StoredSecret;
}

/** True while nobody has configured anything: no tenant and no model. */
export async function isUnconfigured(db: Db): Promise<boolean> {
  const rows = await db.execute<{ empty: boolean }>(
    sql`select not exists (select 1 from tenants) and not exists (select 1 from models) as empty`,
  );
  return rows[0]?.empty === true;
}

/** Makes the sample, whole or not at all. */
export async function seedSample(db: Db, context: ChangeContext, sample: Sample): Promise<void> {
  await change(db, context, async (inside) => {
    await addModel(inside, {
      fields: sampleModel(),
      endpoints: [
        {
          name: "simulated",
          apiBase: sample.apiBase,
          protocol: "openai",
          upstreamModel: null,
          weight: 1,
          priority: 0,
          maxInFlight: null,
          enabled: true,
        },
      ],
    });
    for (const { name, group, weight, description } of SAMPLE_TENANTS) {
      await addGroup(inside, { name: group, weight });
      const tenant = await addTenant(inside, sampleTenant({ name, group, weight, description }));
      await addKey(inside, { tenantId: tenant.id, fields: SAMPLE_KEY, secret: sample.secretOf(name) });
    }
  });
}

const SAMPLE_KEY = {
  name: "sample",
  weight: 100,
  maxInFlight: null,
  budgetTokens: null,
  budgetCostUsd: null,
  budgetPeriod: "monthly",
  budgetStartedAt: null,
  disabled: false,
  expiresAt: null,
} as const;

function sampleTenant(own: Pick<TenantFields, "name" | "group" | "weight" | "description">): TenantFields {
  return {
    ...own,
    maxInFlight: null,
    modelCaps: [],
    tokensPerMinute: null,
    budgetTokens: null,
    budgetCostUsd: null,
    budgetPeriod: "monthly",
    budgetStartedAt: null,
    status: "active",
    timezone: "UTC",
    activeFrom: null,
    activeUntil: null,
    weeklyWindows: [],
    allowedModels: null,
  };
}

function sampleModel(): ModelFields {
  return {
    name: SAMPLE_MODEL.name,
    aliases: [],
    type: "chat",
    enabled: true,
    maxInFlight: SAMPLE_MODEL.slots,
    capacityMode: "static",
    capacitySource: "endpoints",
    perReplicaMaxInFlight: null,
    capacityHeadroom: 1,
    kubernetes: null,
    dns: null,
    admissionWeight: 100,
    sessionAffinity: {},
    endpointSelection: "failover",
    requestTimeoutSecs: null,
    maxRetries: 0,
    retryBackoffMs: 250,
    inputCostPerToken: null,
    outputCostPerToken: null,
    tokenizer: null,
    queueWithoutServers: false,
    tags: ["sample"],
  };
}

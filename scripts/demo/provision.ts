/** Makes the demo's groups, tenants, models and keys where they are missing. Running it again changes nothing. */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

import { type ApiClient, ApiError, createClient } from "@obleth/contract/client";
import { readFirstRun } from "../launch/first-run.mjs";
import { Refusal } from "../launch/refusal.mjs";
import { GROUPS, MODELS, TENANTS } from "./scenario";

export interface Provisioned {
  /** Name of the model that the first run made. */
  readonly sampleModel: string;
  /** API key secret by tenant name. */
  readonly secrets: ReadonlyMap<string, string>;
}

export async function provision(options: { adminUrl: string; dataDir: string; simUrl: string }): Promise<Provisioned> {
  const firstRun = readFirstRun(options.dataDir);
  if (firstRun.adminToken === undefined) throw new Refusal("The demo needs the embedded database's first-run files.");
  const api = createClient({ baseUrl: options.adminUrl, token: firstRun.adminToken });
  for (const [name, weight] of Object.entries(GROUPS)) {
    await unlessThere(() => api.call("createGroup", { body: { name, weight } }));
  }
  for (const { name, type, slots } of MODELS) {
    const endpoints = [{ name: "simulated", api_base: `${options.simUrl}/v1` }];
    const body = { name, type, max_in_flight: slots, endpoints };
    await unlessThere(() => api.call("createModel", { body }));
  }
  for (const tenant of TENANTS) await unlessThere(() => api.call("createTenant", { body: { ...tenant } }));
  const secrets = new Map(Object.entries(firstRun.keys));
  for (const [name, secret] of await demoSecrets(api, options.dataDir)) secrets.set(name, secret);
  return { sampleModel: firstRun.model ?? "sim-chat", secrets };
}

/** Secrets are shown once, so those made here are kept beside the data, readable by their owner only. */
async function demoSecrets(api: ApiClient, dataDir: string): Promise<[string, string][]> {
  const file = path.join(dataDir, "demo-keys.json");
  const kept = readKept(file);
  const tenants = (await api.call("listTenants", { query: { limit: 200 } })).data.items;
  const secrets: [string, string][] = [];
  for (const { name } of TENANTS) {
    const tenant = tenants.find((one) => one.name === name);
    if (tenant === undefined) continue;
    const keys = (await api.call("listTenantKeys", { params: { id: tenant.id } })).data.items;
    const secret = kept[name];
    if (secret !== undefined && keys.some((key) => secret.startsWith(key.prefix))) {
      secrets.push([name, secret]);
      continue;
    }
    const body = { name: `demo-${keys.length + 1}` };
    secrets.push([name, (await api.call("createKey", { params: { id: tenant.id }, body })).data.secret]);
  }
  writeFileSync(file, JSON.stringify(Object.fromEntries(secrets)), { mode: 0o600 });
  return secrets;
}

function readKept(file: string): Record<string, string> {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Record<string, string>;
  } catch {
    return {};
  }
}

async function unlessThere(create: () => Promise<unknown>): Promise<void> {
  try {
    await create();
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 409)) throw error;
  }
}

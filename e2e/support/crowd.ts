/** Hundreds of tenants with a key each, by one import of the configuration: made one by one they take a minute. */
import { createHash, randomBytes, randomUUID } from "node:crypto";
import type { ApiClient } from "@obleth/contract/client";

/** Makes tenants and keys like the newest ones of the tenant named. @returns the keys' secrets, that tenant's not among them */
export async function importCrowd(management: ApiClient, given: { like: string; names: readonly string[] }) {
  const { data: file } = await management.call("exportConfig", {});
  const tenant = file.tenants.find(({ name }) => name === given.like);
  const key = file.keys.find(({ tenant_id }) => tenant_id === tenant?.id);
  if (tenant === undefined || key === undefined) throw new Error(`no tenant ${given.like} with a key`);
  const made = given.names.map((name) => {
    const secret = `sk_${randomBytes(24).toString("hex")}`;
    const hash = createHash("sha256").update(secret).digest("hex");
    const id = randomUUID();
    return {
      secret,
      tenant: { ...tenant, id, name },
      key: { ...key, id: randomUUID(), tenant_id: id, prefix: secret.slice(0, 9), secret_hash: hash },
    };
  });
  const tenants = [...file.tenants, ...made.map((one) => one.tenant)];
  const keys = [...file.keys, ...made.map((one) => one.key)];
  await management.call("importConfig", { body: { ...file, tenants, keys } });
  return made.map((one) => one.secret);
}

import type { ConfigFile } from "@obleth/contract";
import { describe, expect, it } from "vitest";
import { complete } from "./complete";
import { planLines, planOf, slotChanges } from "./plan";
import { parseConfiguration } from "./read-file";

const TENANT_ID = "00000000-0000-4000-8000-000000000001";
const MODEL_ID = "00000000-0000-4000-8000-000000000002";
const KEY_ID = "00000000-0000-4000-8000-000000000003";

const CURRENT = {
  format: "obleth.config/1",
  groups: [{ name: "default", weight: 100, color: 0 }],
  models: [
    {
      id: MODEL_ID,
      name: "llama",
      max_in_flight: 8,
      endpoints: [
        {
          id: "e1",
          name: "endpoint-1",
          api_base: "http://a/v1",
          api_key_sealed: "v1.x",
          headers_sealed: [],
          weight: 1,
        },
      ],
    },
  ],
  tenants: [{ id: TENANT_ID, name: "nightly", group: "default", weight: 50, active_until: "2027-01-01T00:00:00.000Z" }],
  keys: [{ id: KEY_ID, tenant_id: TENANT_ID, name: "ci", weight: 100, secret_hash: "f".repeat(64) }],
  boosts: [],
  global_max_in_flight: null,
} as unknown as ConfigFile;

const completed = (text: string, options: { withCredentials?: boolean; env?: Record<string, string> } = {}) =>
  complete(parseConfiguration(text), CURRENT, {
    withCredentials: options.withCredentials ?? false,
    variable: (name) => options.env?.[name],
  });

describe("a partial configuration", () => {
  it("changes only what it says and names nothing else", () => {
    const { entries, ceiling } = completed("tenants: [{name: nightly, weight: 120}]");
    expect(entries).toHaveLength(1);
    expect(entries[0]?.after).toEqual({ ...CURRENT.tenants[0], weight: 120 });
    expect(ceiling.after).toBe(null);
  });

  it("gives something new the contract's defaults, an id and a colour nobody has", () => {
    const { entries } = completed("groups: [{name: chat}]\ntenants: [{name: new, group: chat}]");
    expect(entries[0]?.after).toEqual({ name: "chat", weight: 100, color: 1 });
    expect(entries[1]?.after).toMatchObject({ name: "new", group: "chat", weight: 100, status: "active" });
    expect(entries[1]?.after.id).toMatch(/^[0-9a-f-]{36}$/);
  });

  it("keeps the ids in force, and finds the owner of a key by the file's own ids", () => {
    const other = "00000000-0000-4000-8000-000000000009";
    const { entries } = completed(`
tenants: [{id: ${other}, name: nightly}]
keys: [{id: ${KEY_ID}, tenant_id: ${other}, name: ci, secret_hash: ${"e".repeat(64)}}]`);
    expect(entries[0]?.after.id).toBe(TENANT_ID);
    expect(entries[1]?.after.tenant_id).toBe(TENANT_ID);
  });

  it("leaves a key that nobody has to be made by the gateway", () => {
    const { entries, newKeys } = completed(
      "keys: [{tenant: nightly, name: ci, weight: 5}, {tenant: nightly, name: laptop}]",
    );
    expect(entries).toMatchObject([{ kind: "key", before: { id: KEY_ID }, after: { weight: 5 } }]);
    expect(newKeys).toEqual([{ tenantId: TENANT_ID, tenantName: "nightly", body: { name: "laptop" } }]);
  });

  it("changes nothing when it says what is there", () => {
    const plan = planOf(completed(JSON.stringify(CURRENT)));
    expect(plan).toEqual({ changes: [], unchanged: 4 });
    const zone = "tenants: [{name: nightly, active_until: '2027-01-01T01:00:00+01:00'}]";
    expect(planOf(completed(zone)).changes).toEqual([]);
  });

  it("refuses an owner that is nowhere and a boost without an id", () => {
    expect(() => completed("keys: [{tenant: nobody, name: a}]")).toThrow(/no tenant named nobody/);
    expect(() => completed("boosts: [{tenant: nightly, factor: 2}]")).toThrow(/boosts\.0/);
  });

  it.each(["__proto__", "constructor", "toString"])("may name a tenant %s", (name) => {
    const { entries } = completed(`tenants: [{name: ${name}}]`);
    expect(entries[0]?.after.name).toBe(name);
    expect(({} as { weight?: unknown }).weight).toBeUndefined();
  });
});

describe("credentials in a file", () => {
  const withKey = (rest: string) => `models: [{name: llama, endpoints: [{name: endpoint-1, ${rest}}]}]`;

  it("come from the environment, and a missing variable is named", () => {
    const file = `models: [{name: new, api_base: 'http://b/v1', api_key: '\${LLAMA_KEY}'}]`;
    const { credentials } = completed(file, { env: { LLAMA_KEY: "s3cret" } });
    expect(credentials).toMatchObject([{ model: "new", endpoint: "endpoint-1", body: { api_key: "s3cret" } }]);
    expect(() => completed(file)).toThrow(/LLAMA_KEY/);
  });

  it("are written where none is stored, or on demand, and are never in the plan", () => {
    expect(completed(withKey("api_key: abc")).credentials).toEqual([]);
    const again = completed(withKey("api_key: abc"), { withCredentials: true });
    expect(again.credentials).toMatchObject([{ endpointId: "e1", body: { api_key: "abc" } }]);
    expect(JSON.stringify(planOf(again)) + planLines(planOf(again)).join()).not.toContain("abc");
  });

  it("never follow an endpoint to another address", () => {
    const { entries, credentials } = completed(withKey("api_base: 'http://b/v1', api_key: other"));
    expect(entries[0]?.after.endpoints).toMatchObject([{ id: "e1", api_base: "http://b/v1", api_key_sealed: null }]);
    expect(credentials).toMatchObject([{ body: { api_key: "other" } }]);
  });

  it("stand as they are written: text that only looks like a variable is kept elsewhere", () => {
    const { entries } = completed(`tenants: [{name: nightly, description: '\${HOME}'}]`);
    expect(entries[0]?.after.description).toBe(`\${HOME}`);
  });
});

describe("a plan", () => {
  it("says what is made, what changes from what to what, and what is left", () => {
    const file = "groups: [{name: default}, {name: chat, weight: 500}]\ntenants: [{name: nightly, weight: 120}]";
    expect(planLines(planOf(completed(file)))).toEqual([
      "+ group chat",
      "    weight: 500",
      "    color: 1",
      "~ tenant nightly",
      "    weight: 50 -> 120",
      "",
      "1 object to make, 1 to change, 1 as they are.",
      "What the file does not name is left alone.",
    ]);
  });

  it("shows endpoints that come, change and go", () => {
    const file = "models: [{name: llama, endpoints: [{name: gpu, api_base: 'http://b/v1'}]}]";
    expect(planLines(planOf(completed(file)))).toEqual(
      expect.arrayContaining(["    endpoint gpu: null -> http://b/v1", "    endpoint endpoint-1: http://a/v1 -> null"]),
    );
  });

  it("asks for a preview of weights, caps and sizes of what is there", () => {
    const { entries } = completed(
      "tenants: [{name: nightly, weight: 120}]\nmodels: [{name: llama, max_in_flight: 40}]",
    );
    expect(slotChanges(entries)).toEqual([
      { kind: "pool_size", id: MODEL_ID, value: 40 },
      { kind: "tenant_weight", id: TENANT_ID, value: 120 },
    ]);
  });
});

describe("a file", () => {
  it.each([
    ["tenants: [", "not YAML"],
    ["tenants: {a: 1}", "tenants must be a list"],
    ["tenant: []\ntenants: 5", "tenants must be a list\ntenant is not a known field"],
    ["tenants: [{weight: 1}]", "tenants.0.name is missing; it must be text"],
    ["groups: [{name: a}, {name: a}]", "groups.1"],
    ["format: obleth.config/99", "format"],
    ["just text", "the file must be an object"],
    ["a: &a [x,x]\nb: &b [*a,*a]\nc: &c [*b,*b]", "not a configuration"],
  ])("of %j is refused with its place", (text, place) => {
    expect(() => parseConfiguration(text)).toThrow(place);
  });

  it("may be empty, which names nothing", () => {
    expect(parseConfiguration("")).toMatchObject({ groups: [], tenants: [] });
  });
});

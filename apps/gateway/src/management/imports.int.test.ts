/** Configuration files that meet: another file, a person's edit, or themselves. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "./testing/test-gateway";

const COUNT = 100;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
  const { data: file } = await gateway.api.call("exportConfig", {});
  const groups = Array.from({ length: COUNT }, (_, i) => ({ name: `group ${i}`, weight: 1, color: 0 }));
  const { api } = gateway;
  await api.call("importConfig", { body: { ...file, groups: [...file.groups, ...groups] } });
  const { id } = (await api.call("createTenant", { body: { name: "imported" } })).data;
  await api.call("createKey", { params: { id }, body: { name: "imported" } });
  await api.call("createModel", { body: { name: "imported", api_base: "http://up/v1" } });
  const expires_at = new Date(gateway.clock.wallMs() + 60_000).toISOString();
  await api.call("createBoost", { body: { tenant_id: id, factor: 2, reason: "incident", expires_at } });
});
afterAll(() => gateway.close());

type File = Awaited<ReturnType<typeof config>>;

const config = async () => (await gateway.api.call("exportConfig", {})).data;
const ours = (file: File) => file.groups.filter(({ name }) => name.startsWith("group "));

/** The same file with another weight for each of the hundred. */
function weighted(file: File, weight: number): File {
  return {
    ...file,
    groups: file.groups.map((group) => (group.name.startsWith("group ") ? { ...group, weight } : group)),
  };
}

describe("two files at once", () => {
  it("hold one after the other and whole: never some of one and some of the other", async () => {
    const file = await config();
    // Of opposite order, so that they would meet half way if they did not wait for each other.
    const second = weighted(file, 33);
    const reversed = { ...second, groups: [...second.groups].reverse() };
    await Promise.all([
      gateway.api.call("importConfig", { body: weighted(file, 22) }),
      gateway.api.call("importConfig", { body: reversed }),
    ]);
    const weights = new Set(ours(await config()).map(({ weight }) => weight));
    expect(ours(await config())).toHaveLength(COUNT);
    expect([[22], [33]]).toContainEqual([...weights]);
    const { data: audit } = await gateway.api.call("listAudit", { query: { limit: 2 } });
    expect(audit.items.map(({ source }) => source)).toEqual(["import", "import"]);
  });
});

describe("a file", () => {
  it("holds no secret that could be used as it stands", async () => {
    const { api } = gateway;
    const canary = "canary-0123456789";
    const [tenant] = (await config()).tenants.filter(({ name }) => name === "imported");
    const made = (await api.call("createKey", { params: { id: tenant?.id ?? "" }, body: { name: "canary" } })).data;
    await api.call("createModel", {
      body: {
        name: "canary model",
        endpoints: [{ api_base: "http://up/v1", api_key: canary, headers: { authorization: canary } }],
      },
    });
    const text = JSON.stringify(await config());
    expect(text).toContain("canary model");
    expect(text).not.toContain(canary);
    expect(text).not.toContain(made.secret);
    expect(text).not.toContain(Buffer.from(canary).toString("base64"));
  });

  it.each(["groups", "models", "tenants", "keys", "boosts"] as const)(
    "with two entries for one of its %s is refused with the place of the second, and none of the rest is changed",
    async (list) => {
      const before = await config();
      const [first] = before[list];
      if (first === undefined) throw new Error("nothing to give twice");
      const field = "id" in first ? "id" : "name";
      const broken = { ...weighted(before, 44), [list]: [...before[list], { ...first }] };
      const call = gateway.api.call("importConfig", { body: broken });
      const details = { field: `${list}.${before[list].length}.${field}` };
      await expect(call).rejects.toMatchObject({ status: 400, details });
      expect(await config()).toEqual(before);
    },
  );

  it("and a person's edit that began before it: the edit is told, and what the file said holds", async () => {
    const { api } = gateway;
    const params = { name: "group 7" };
    const { etag } = await api.call("getGroup", { params });
    await api.call("importConfig", { body: weighted(await config(), 55) });
    const edit = api.call("updateGroup", { params, body: { weight: 66 } }, { ifMatch: etag ?? "" });
    await expect(edit).rejects.toMatchObject({ status: 412, code: "stale_edit" });
    expect((await api.call("getGroup", { params })).data.weight).toBe(55);
  });
});

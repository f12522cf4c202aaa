import { keyId, tenantId } from "@obleth/fairshare";
import { beforeEach, describe, expect, it } from "vitest";
import { HeldNames } from "./name-directory";
import { sampleKey, sampleTenant } from "./testing/record-samples";

let tenants = [sampleTenant()];
let askedFor: string[][];
let isAway: boolean;
let changes: number;
let names: HeldNames;

beforeEach(() => {
  tenants = [sampleTenant()];
  askedFor = [];
  isAway = false;
  changes = 0;
  names = new HeldNames({
    source: {
      loadTenants: async (ids) => tenants.filter((tenant) => ids?.includes(tenant.id) ?? true),
      loadGroups: async () => [{ id: "group-row", name: "chat", weight: 500, color: 3 }],
      loadKeys: async (ids) => {
        askedFor.push([...ids]);
        if (isAway) throw new Error("connection refused");
        return ids
          .filter((id) => id !== "gone")
          .map((id) => ({ ...sampleKey({ id, name: `name of ${id}` }), tenantId: tenantId("t") }));
      },
    },
    onError: () => {},
    onChange: () => changes++,
  });
});

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe("names for the live state", () => {
  it("knows tenants and groups once read, and a group by its row's id", async () => {
    await names.reload();
    expect(names.tenant(tenantId("tenant-1"))?.name).toBe("chatbot");
    expect(names.group("chat")?.color).toBe(3);
    expect(names.groupNameOf("group-row")).toBe("chat");
    expect(names.group("__proto__")).toBeUndefined();
  });

  it("reads one changed tenant alone and forgets one that is gone", async () => {
    await names.reload();
    tenants = [sampleTenant({ name: "renamed" })];
    await names.reloadTenant(tenantId("tenant-1"));
    expect(names.tenant(tenantId("tenant-1"))?.name).toBe("renamed");
    tenants = [];
    expect(await names.reloadTenant(tenantId("tenant-1"))).toBeUndefined();
    expect(names.tenant(tenantId("tenant-1"))).toBeUndefined();
  });

  it("asks for all names of keys that one answer needs in one read, and then knows them", async () => {
    const ids = ["a", "b", "gone"].map(keyId);
    expect(ids.map((id) => names.keyName(id))).toEqual([undefined, undefined, undefined]);
    await settled();
    expect(askedFor).toEqual([["a", "b", "gone"]]);
    expect(ids.map((id) => names.keyName(id))).toEqual(["name of a", "name of b", undefined]);
    await settled();
    expect(askedFor).toHaveLength(1);
    expect(changes).toBe(1);
  });

  it("asks again later when the names could not be read", async () => {
    isAway = true;
    names.keyName(keyId("a"));
    await settled();
    isAway = false;
    names.keyName(keyId("a"));
    await settled();
    expect(names.keyName(keyId("a"))).toBe("name of a");
  });
});

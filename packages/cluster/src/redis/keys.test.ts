import { describe, expect, it } from "vitest";
import { escapePart, makeKeys, unescapePart } from "./keys";

const NAMES = [
  "",
  "a",
  "a|b",
  "a%7Cb",
  "{x}",
  "}{",
  "{}",
  "%",
  "%25",
  "::",
  "a b",
  "__proto__",
  "日本",
  "\u0000",
  "%7B",
];

describe("names in keys and fields", () => {
  it("come back as they were", () => {
    for (const name of NAMES) expect(unescapePart(escapePart(name))).toBe(name);
  });

  it("never collide, alone or joined", () => {
    expect(new Set(NAMES.map(escapePart)).size).toBe(NAMES.length);
    const pairs = NAMES.flatMap((a) => NAMES.map((b) => `${escapePart(a)}|${escapePart(b)}`));
    expect(new Set(pairs).size).toBe(NAMES.length ** 2);
  });

  it("cannot move a hash tag", () => {
    for (const name of NAMES) expect(escapePart(name)).not.toMatch(/[{}|]/);
  });
});

describe("keys", () => {
  it("begin with the prefix, and with Redis Cluster share one hash tag", () => {
    const plain = makeKeys({ prefix: "obleth", isCluster: false });
    expect(plain.slots).toBe("obleth:fairshare:slots");
    expect(plain.replicas).toBe("obleth:gateway:replicas");
    expect(plain.released).toBe("obleth:fairshare:released");
    expect(plain.held("host-1a2b")).toBe("obleth:fairshare:held:host-1a2b");
    expect(plain.view("host-1a2b")).toBe("obleth:fairshare:view:host-1a2b");
    const clustered = makeKeys({ prefix: "obleth", isCluster: true });
    const all = [
      clustered.replicas,
      clustered.slots,
      clustered.held("{other}"),
      clustered.view("a}b{c"),
      clustered.holds,
      clustered.sessions,
      clustered.sessionsDue,
      ...clustered.minuteBudget("{x}"),
      ...clustered.termBudget("tenant:{x}", "}"),
    ];
    expect(new Set(all).size).toBe(all.length);
    for (const key of all) expect(/\{([^}]*)\}/.exec(key)?.[1]).toBe("obleth");
  });
});

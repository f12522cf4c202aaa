import { VirtualClock } from "@obleth/clock";
import { beforeEach, describe, expect, it } from "vitest";
import { CachedKeys } from "./key-directory";
import type { KeyRecord } from "./records";
import { sampleKey } from "./testing/record-samples";

const SECRET = `sk_${"a1".repeat(24)}`;
const OTHER = `sk_${"b2".repeat(24)}`;
const hash = (secret: string) => `hash of ${secret}`;

/** A database of keys whose answers wait until they are let go. */
class SlowKeys {
  readonly rows = new Map<string, KeyRecord>();
  readonly pending: (() => void)[] = [];
  asked = 0;
  isAway = false;
  isHeld = false;

  async loadKeyByHash(wanted: string): Promise<KeyRecord | undefined> {
    this.asked++;
    if (this.isAway) throw new Error("connection refused");
    const row = this.rows.get(wanted);
    if (this.isHeld) await new Promise<void>((resolve) => this.pending.push(resolve));
    return row;
  }

  letGo(): void {
    this.isHeld = false;
    for (const go of this.pending.splice(0)) go();
  }
}

let clock: VirtualClock;
let database: SlowKeys;
let keys: CachedKeys;
let stale: unknown[];

beforeEach(() => {
  clock = new VirtualClock();
  database = new SlowKeys();
  stale = [];
  keys = new CachedKeys({ source: database, clock, hash, onStale: (error) => stale.push(error) });
  database.rows.set(hash(SECRET), sampleKey());
});

describe("finding who a secret belongs to", () => {
  it("answers a known secret at once, without a promise and without asking again", async () => {
    const first = await keys.find(SECRET);
    expect(keys.find(SECRET)).toBe(first);
    expect(database.asked).toBe(1);
  });

  it("asks the database once however many requests wait for the answer", async () => {
    database.isHeld = true;
    const waiting = Array.from({ length: 100 }, () => keys.find(SECRET));
    database.letGo();
    const found = await Promise.all(waiting);
    expect(new Set(found).size).toBe(1);
    expect(database.asked).toBe(1);
  });

  it("asks again after 300 s and not before", async () => {
    await keys.find(SECRET);
    clock.advance(299_999);
    expect(keys.find(SECRET)).not.toBeInstanceOf(Promise);
    clock.advance(1);
    await keys.find(SECRET);
    expect(database.asked).toBe(2);
  });

  it("remembers an unknown secret for a short while", async () => {
    expect(await keys.find(OTHER)).toBeUndefined();
    expect(keys.find(OTHER)).toBeUndefined();
    expect(database.asked).toBe(1);
    clock.advance(5_000);
    await keys.find(OTHER);
    expect(database.asked).toBe(2);
  });

  it.each(["", "sk_", `sk_${"A1".repeat(24)}`, `${SECRET}0`, "Bearer x", "__proto__", "x".repeat(100_000)])(
    "knows without asking that %.20s is no secret of ours",
    (text) => {
      expect(keys.find(text)).toBeUndefined();
      expect(database.asked).toBe(0);
    },
  );

  it("keeps working for known secrets while the database is away, and refuses unknown ones", async () => {
    const known = await keys.find(SECRET);
    database.isAway = true;
    clock.advance(3_600_000);
    expect(await keys.find(SECRET)).toBe(known);
    expect(stale).toHaveLength(1);
    await expect(keys.find(OTHER)).rejects.toMatchObject({ code: "policy_unavailable" });
  });

  it("asks a database that is away at most every 5 s for one secret, and takes its answer when it is back", async () => {
    await keys.find(SECRET);
    database.isAway = true;
    clock.advance(300_000);
    await keys.find(SECRET);
    expect(keys.find(SECRET)).not.toBeInstanceOf(Promise);
    database.isAway = false;
    database.rows.set(hash(SECRET), sampleKey({ disabled: true }));
    clock.advance(5_000);
    expect(await keys.find(SECRET)).toMatchObject({ disabled: true });
  });

  it("waits 5 s for a database that is silent: known secrets work on and wait no more for a minute, unknown ones are refused", async () => {
    const known = await keys.find(SECRET);
    clock.advance(300_000);
    database.isHeld = true;
    const [late, unknown] = [keys.find(SECRET), Promise.resolve(keys.find(OTHER)).catch((error) => error)];
    expect(late).toBeInstanceOf(Promise);
    clock.advance(5_000);
    expect(await late).toBe(known);
    expect(await unknown).toMatchObject({ code: "policy_unavailable" });
    clock.advance(59_999);
    expect(keys.find(SECRET)).toBe(known);
    database.letGo();
    clock.advance(1);
    expect(await keys.find(SECRET)).toMatchObject({ policy: known?.policy });
    expect(database.asked).toBe(4);
  });

  it("refuses a miss rather than queue more than a thousand look-ups", async () => {
    database.isHeld = true;
    const waiting = Array.from({ length: 1_000 }, (_, i) => keys.find(`sk_${String(i).padStart(48, "0")}`));
    await expect(keys.find(SECRET)).rejects.toMatchObject({ code: "policy_unavailable" });
    database.letGo();
    await Promise.all(waiting);
    expect(await keys.find(SECRET)).toBeDefined();
  });
});

describe("after a change", () => {
  it("forgets exactly the records it affects", async () => {
    database.rows.set(hash(OTHER), sampleKey({ id: "key-2" }));
    await keys.find(SECRET);
    await keys.find(OTHER);
    keys.evict((record) => record.policy.id === "key-2");
    expect(keys.find(SECRET)).not.toBeInstanceOf(Promise);
    database.rows.delete(hash(OTHER));
    expect(await keys.find(OTHER)).toBeUndefined();
  });

  it("never gives or keeps an answer whose look-up began before the change", async () => {
    database.isHeld = true;
    const early = keys.find(SECRET);
    database.rows.set(hash(SECRET), sampleKey({ disabled: true }));
    keys.evict(() => true);
    database.letGo();
    expect(await early).toMatchObject({ disabled: true });
    expect(await keys.find(SECRET)).toMatchObject({ disabled: true });
  });

  it("lets a key that was just made work although its secret was tried a moment before", async () => {
    expect(await keys.find(OTHER)).toBeUndefined();
    database.rows.set(hash(OTHER), sampleKey({ id: "key-2" }));
    keys.evict(() => false);
    expect(await keys.find(OTHER)).toMatchObject({ policy: { id: "key-2" } });
  });

  it("does not fall back to an evicted record when the database goes away right after the change", async () => {
    await keys.find(SECRET);
    keys.evict(() => true);
    database.isAway = true;
    await expect(keys.find(SECRET)).rejects.toMatchObject({ code: "policy_unavailable" });
  });

  it("asks for every record again when changes may have been missed, and uses the old one if that fails", async () => {
    const known = await keys.find(SECRET);
    keys.expireAll();
    database.isAway = true;
    expect(await keys.find(SECRET)).toBe(known);
    database.isAway = false;
    keys.expireAll();
    database.rows.delete(hash(SECRET));
    expect(await keys.find(SECRET)).toBeUndefined();
  });
});

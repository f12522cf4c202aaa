/** Notices and their backstop on a connection that fails. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ConfigNotice, type ConfigWatch, notifyConfig, watchConfigChanges } from "./config-changes";
import { createTestDatabase, ListenWire, type TestDatabase } from "./testing";

let test: TestDatabase;
let wire: ListenWire;
let notices: ConfigNotice[];
let polls: (() => void)[];
let watch: ConfigWatch;

beforeEach(async () => {
  test = await createTestDatabase();
  wire = await ListenWire.to(test.url);
  notices = [];
  polls = [];
  watch = await watchConfigChanges({
    url: wire.url,
    db: test.db,
    pollMs: 1_000,
    setTimer: (_, fire) => {
      polls.push(fire);
      return { cancel: () => {} };
    },
    onNotice: (notice) => void notices.push(notice),
  });
});

afterEach(async () => {
  wire.notices = "open";
  await watch.close();
  wire.close();
  await test.drop();
});

const change = () =>
  test.db.transaction(async (tx) => {
    const [row] = await tx.execute<{ version: number }>(
      "update config_version set version = version + 1 returning version::int as version",
    );
    await notifyConfig(tx, { version: row?.version ?? 0, changes: [{ kind: "group", id: "x" }] });
  });

const until = (isTrue: () => boolean | Promise<boolean>) =>
  expect.poll(isTrue, { timeout: 20_000, interval: 10 }).toBe(true);

describe("the watch", () => {
  it("hears a change without waiting for the poll", async () => {
    await change();
    await until(() => notices.length === 1);
    expect(notices[0]?.changes).toEqual([{ kind: "group", id: "x" }]);
  });

  it.each(["silent", "refused"] as const)(
    "finds by the poll what a %s connection does not tell, as anything",
    async (fault) => {
      wire.notices = fault;
      await change();
      await change();
      polls.splice(0).forEach((fire) => void fire());
      await until(() => notices.length === 1);
      expect(notices[0]).toEqual({ version: watch.version(), changes: "all" });
    },
  );

  it.each(["refused", "down"] as const)("listens again once a %s connection can be made", async (fault) => {
    wire.notices = fault;
    await until(() => wire.refusals >= 3);
    wire.notices = "open";
    await until(() => wire.listenerCount === 1);
    await until(async () => {
      await change();
      return notices.some(({ changes }) => changes !== "all");
    });
  });
});

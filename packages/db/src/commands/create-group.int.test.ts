import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../testing";
import type { ChangeContext } from "./change";
import { createGroup } from "./create-group";
import { deleteGroup } from "./delete-group";

const context: ChangeContext = { actor: "tester", source: "api", requestId: "r", nowMs: Date.UTC(2026, 10, 30) };

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
  await test.sql`delete from groups`;
});
afterAll(() => test.drop());

const colorOf = async (name: string, color?: number) =>
  (await createGroup(test.db, context, { name, weight: 1, color })).value.color;

it("a new group has the first colour that no other has, however many have come and gone", async () => {
  expect([await colorOf("a"), await colorOf("b"), await colorOf("c")]).toEqual([0, 1, 2]);
  await deleteGroup(test.db, context, { name: "b" });
  expect([await colorOf("d"), await colorOf("e")]).toEqual([1, 3]);
  expect(await colorOf("last", 1000)).toBe(1000);
  expect(await colorOf("f")).toBe(4);
});

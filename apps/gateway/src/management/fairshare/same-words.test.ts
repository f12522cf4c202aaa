/** Contract and engine know nothing of each other, so what both of them spell out is held together here. */
import { MAX_WEIGHT, PREVIEW_KINDS, WAIT_REASONS } from "@obleth/contract";
import * as engine from "@obleth/fairshare";
import * as preview from "@obleth/fairshare/preview";
import { expect, it } from "vitest";

it("the API's reasons to wait are the engine's, in the order in which they are tried", () => {
  expect(WAIT_REASONS).toEqual(engine.WAIT_REASONS);
});

it("the API previews the changes that the engine can", () => {
  expect([...PREVIEW_KINDS].sort()).toEqual([...preview.PREVIEW_KINDS].sort());
});

it("the largest weight that can be set is the largest that previews look for", () => {
  expect(MAX_WEIGHT).toBe(engine.LARGEST_WEIGHT);
});

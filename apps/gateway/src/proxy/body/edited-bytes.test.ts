import { describe, expect, it } from "vitest";
import { EditedBytes, type Replacement } from "./edited-bytes";

const at = (start: number, end: number, text: string): Replacement => ({ start, end, bytes: Buffer.from(text) });

describe("edited bytes", () => {
  it("carry one set of replacements at a time, each made in the original", () => {
    const bytes = new EditedBytes(Buffer.from("one two three"));
    expect(bytes.with("a", () => [at(8, 13, "3"), at(0, 3, "first")]).toString()).toBe("first two 3");
    expect(bytes.with("b", () => [at(4, 4, "and "), at(4, 7, "")]).toString()).toBe("one and  three");
    expect(bytes.original.toString()).toBe("one two three");
    expect(bytes.with("c", (original) => [at(0, original.length, "")]).toString()).toBe("");
    expect(bytes.original.toString()).toBe("one two three");
  });

  it("are the very same buffer while nothing about them changes", () => {
    const original = Buffer.from("abc");
    const bytes = new EditedBytes(original);
    expect(bytes.original).toBe(original);
    const edited = bytes.with("x", () => [at(0, 1, "x")]);
    expect(bytes.with("x", () => [at(0, 1, "never asked")])).toBe(edited);
  });
});

import { describe, expect, it } from "vitest";
import { BodyMemory } from "./body-memory";

const KB = 1024;

describe("the memory for bodies", () => {
  it("counts what its requests hold, and nothing of those that have ended", () => {
    const memory = new BodyMemory(800 * KB);
    const [one, other] = [memory.open(), memory.open()];
    expect(one.take(100 * KB)).toBe(true);
    expect(other.take(200 * KB)).toBe(true);
    one.giveBack(40 * KB);
    expect(memory.heldBytes).toBe(260 * KB);
    one.close();
    one.close();
    one.giveBack(10);
    expect(memory.heldBytes).toBe(200 * KB);
    expect(one.take(1)).toBe(false);
    expect(memory.heldBytes).toBe(200 * KB);
  });

  it("counts nothing of what it refuses, and lets who was refused go on with less", () => {
    const memory = new BodyMemory(800 * KB);
    const hold = memory.open();
    expect(hold.take(700 * KB)).toBe(true);
    expect(hold.take(1)).toBe(false);
    expect(memory.heldBytes).toBe(700 * KB);
    hold.giveBack(1);
    expect(hold.take(1)).toBe(true);
  });

  it("fills up to the last byte with small bodies, and to seven eighths with longer ones", () => {
    const memory = new BodyMemory(800 * KB);
    const small = memory.open();
    expect(memory.open().take(700 * KB)).toBe(true);
    expect(memory.open().take(65 * KB)).toBe(false);
    expect(small.take(64 * KB)).toBe(true);
    expect(small.take(1)).toBe(false);
    expect(memory.open().take(36 * KB)).toBe(true);
    expect(memory.open().take(1)).toBe(false);
    expect(memory.heldBytes).toBe(800 * KB);
  });
});

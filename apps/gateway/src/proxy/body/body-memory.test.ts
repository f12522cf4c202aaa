import { tenantId } from "@obleth/fairshare";
import { describe, expect, it } from "vitest";
import { BodyMemory } from "./body-memory";

const [A, B, C] = [tenantId("a"), tenantId("b"), tenantId("c")];

describe("the memory for bodies", () => {
  it("counts what its requests hold, and nothing of those that have ended", () => {
    const memory = new BodyMemory(900);
    const [one, other] = [memory.open(A), memory.open(A)];
    expect(one.take(100)).toBe(true);
    expect(other.take(200)).toBe(true);
    one.giveBack(40);
    expect(memory.heldBytes).toBe(260);
    one.close();
    one.close();
    one.giveBack(10);
    expect(memory.heldBytes).toBe(200);
    expect(one.take(1)).toBe(false);
    expect(memory.heldBytes).toBe(200);
    other.close();
    expect(memory.open(B).take(450)).toBe(true);
  });

  it("counts nothing of what it refuses, and lets who was refused go on with less", () => {
    const memory = new BodyMemory(800);
    const hold = memory.open(A);
    expect(hold.take(400)).toBe(true);
    expect(hold.take(1)).toBe(false);
    expect(memory.heldBytes).toBe(400);
    hold.giveBack(1);
    expect(hold.take(1)).toBe(true);
  });

  it("lets a tenant hold as much as is left free: half alone, beside others less, and there is room for the next", () => {
    const memory = new BodyMemory(1200);
    expect(memory.open(A).take(601)).toBe(false);
    expect(memory.open(A).take(600)).toBe(true);
    expect(memory.open(A).take(1)).toBe(false);
    expect(memory.open(B).take(301)).toBe(false);
    expect(memory.open(B).take(300)).toBe(true);
    expect(memory.open(C).take(150)).toBe(true);
    expect(memory.open(A).take(1)).toBe(false);
    expect(memory.heldBytes).toBe(1050);
  });

  it("shares evenly between tenants that take what they can, and never holds more than it has", () => {
    const memory = new BodyMemory(900);
    const held = new Map([
      [A, 0],
      [B, 0],
    ]);
    for (let i = 0; i < 1000; i++) {
      for (const [tenant, bytes] of held) if (memory.open(tenant).take(1)) held.set(tenant, bytes + 1);
    }
    expect([...held.values()]).toEqual([300, 300]);
    expect(memory.heldBytes).toBe(600);
  });
});

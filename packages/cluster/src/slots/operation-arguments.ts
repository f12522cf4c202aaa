/**
 * The operations of one call as `slots.lua` takes them: first the owners with their limits, each once, then the
 * operations, which name their owner by its number. Requests of one tick are often of few owners: claims and releases
 * are one short argument then, which costs Redis and this process a half of what the names cost.
 */
import { escapePart } from "../redis/keys";
import type { ClaimOperation, SlotOperation, SlotOwner } from "./slot-store";

/** The owners of one call, numbered as they come up. One with two sets of limits in a call gets two numbers. */
class Owners {
  /** For each number the name and its four limits; -1 for no cap. */
  readonly args: (string | number)[] = [];
  readonly #numbers = new Map<string, number>();
  /** Any number of the owner, whatever its limits. */
  readonly #anyNumbers = new Map<string, number>();

  /** Numbers given out so far. */
  get count(): number {
    return this.#numbers.size;
  }

  /** The number of the owner with the limits that this claim names, from 1. */
  ofClaim(claim: ClaimOperation): number {
    const { ceiling, poolSize, tenantCap, keyCap } = claim;
    return this.#number(nameOf(claim), [ceiling, poolSize, tenantCap ?? -1, keyCap ?? -1]);
  }

  /** A number of the owner, from 1, for operations that no limit decides: whichever limits it stands with will do. */
  of(owner: SlotOwner): number {
    const name = nameOf(owner);
    return this.#anyNumbers.get(name) ?? this.#number(name, [0, 0, -1, -1]);
  }

  /** The number known for the name with these limits, or the next one. */
  #number(name: string, limits: readonly number[]): number {
    const key = `${name}|${limits.join("|")}`;
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = this.#numbers.size + 1;
    this.#numbers.set(key, number);
    this.#anyNumbers.set(name, number);
    this.args.push(name, ...limits);
    return number;
  }
}

/** The owner as one argument; the script cuts it at the bars, which no escaped part contains. */
function nameOf({ pool, tenantId, keyId }: SlotOwner): string {
  return `${escapePart(pool)}|${escapePart(tenantId)}|${escapePart(keyId)}`;
}

/** From the number of owners on; see the header of the script. */
export function operationArguments(operations: readonly SlotOperation[]): (string | number)[] {
  const owners = new Owners();
  const args: (string | number)[] = [];
  for (const operation of operations) pushOperation(args, operation, owners);
  return [owners.count, ...owners.args, ...args];
}

/** Adds one operation. Times become whole ms: ages and holds rounded down, how long to remember rounded up. */
function pushOperation(args: (string | number)[], operation: SlotOperation, owners: Owners): void {
  switch (operation.kind) {
    case "drop-holds":
      args.push("D", escapePart(operation.pool));
      return;
    case "withdraw":
      args.push("W", operation.pool === null ? "" : escapePart(operation.pool));
      return;
    case "release":
      args.push(`R${owners.of(operation)}`);
      return;
    case "claim": {
      const { session, sinceArrivalMs, isForHoldOnly, isStarving, freesKeyHolds = false } = operation;
      const { othersWaiting = 0 } = operation;
      const number = `${owners.ofClaim(operation)}${othersWaiting > 0 ? `:${othersWaiting}` : ""}`;
      if (session === null && !isForHoldOnly && !isStarving && !freesKeyHolds) {
        args.push(`C${number}`);
        return;
      }
      const flags = `${isForHoldOnly ? "h" : ""}${isStarving ? "s" : ""}${freesKeyHolds ? "k" : ""}`;
      const sessionPart = session === null ? "" : escapePart(session);
      args.push(`S${number}`, sessionPart, Math.floor(sinceArrivalMs), flags === "" ? "-" : flags);
      return;
    }
    case "hold": {
      const { session, sinceArrivalMs, sinceLastFinishMs, holdMs, keepMs, maxHeld, maxJumps } = operation;
      args.push(`H${owners.of(operation)}`, escapePart(session), Math.floor(sinceArrivalMs), sinceLastFinishMs ?? -1);
      args.push(Math.floor(holdMs), Math.ceil(keepMs), maxHeld, maxJumps);
      return;
    }
  }
}

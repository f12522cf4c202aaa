/**
 * Every history of a small world, as many steps deep as asked. States that behave alike from here on are looked at once,
 * so the search goes as deep as the states are many, not the histories. Of a state that is to be gone on from only its
 * history is kept, a letter a step.
 *
 * Reduced, states that differ only in the names of the replicas count as one: whatever can happen to one of them can
 * happen to the other with the names exchanged, and no rule names a replica.
 */
import { INSTANCES } from "../slot-commands";
import { StateSet } from "./state-set";
import { type Step, stepsOf } from "./steps";
import { type LIMITS, type PlantedFault, World, type WorldOptions } from "./world";

export interface SearchOptions {
  readonly replicas: number;
  readonly slots: number;
  /** Requests that are ever granted a slot. */
  readonly requests: number;
  readonly limit?: (typeof LIMITS)[number];
  readonly depth: number;
  /** By names of replicas too. False: every state as it is; then canonical ones are only counted. */
  readonly isReduced: boolean;
  /** Sessions are forgotten soon. Names count then, and nothing is reduced. */
  readonly forgets?: boolean;
  readonly planted?: PlantedFault;
}

export interface Found {
  /** The first history that breaks a rule, and which; null when none does. */
  readonly fault: string | null;
  /** Different states reached. */
  readonly states: number;
  /** The same, counting those once that differ only in the names of replicas. */
  readonly canonicalStates: number;
  readonly steps: number;
  readonly grants: number;
}

export function searchSmallWorld({ replicas, depth, isReduced, ...rest }: SearchOptions): Found {
  const options: WorldOptions = { ...rest, instances: INSTANCES.slice(0, replicas) };
  const steps = stepsOf(options.instances);
  const walk = new Walk(options, steps);
  const canonical = new StateSet();
  const exact = new StateSet();
  const isNew = (world: World) => {
    const isNewCanonical = canonical.add(world.canonicalKey);
    return isReduced ? isNewCanonical : exact.add(world.exactKey);
  };
  isNew(walk.to(""));
  const found = { fault: null as string | null, steps: 0, grants: 0 };
  const counts = () => ({ states: isReduced ? canonical.size : exact.size, canonicalStates: canonical.size });
  let frontier = [""];
  for (let level = 0; level < depth; level++) {
    const next: string[] = [];
    for (const history of frontier) {
      const world = walk.to(history);
      for (const [index, step] of steps.entries()) {
        if (!world.allows(step)) continue;
        const after = world.copy();
        after.take(step);
        found.steps++;
        found.grants += after.grants - world.grants;
        const path = history + letterOf(index);
        if (after.fault !== null) return { ...found, ...counts(), fault: `${after.fault}: ${inWords(path, steps)}` };
        // The last level is checked, not gone on from.
        if (isNew(after) && level + 1 < depth) next.push(path);
      }
    }
    frontier = next;
  }
  return { ...found, ...counts() };
}

/** Goes from history to history; what the next has in common with the last is not gone through again. */
class Walk {
  readonly #steps: readonly Step[];
  #path = "";
  /** The world after each step of the path, the beginning first. */
  readonly #worlds: World[];

  constructor(options: WorldOptions, steps: readonly Step[]) {
    this.#steps = steps;
    this.#worlds = [new World(options)];
  }

  to(history: string): World {
    let common = 0;
    while (common < this.#path.length && this.#path[common] === history[common]) common++;
    this.#worlds.length = common + 1;
    this.#path = history;
    let world = this.#worlds[common] ?? new World({ instances: [], slots: 0, requests: 0 });
    for (const letter of history.slice(common)) {
      const step = this.#steps[letterIndex(letter)];
      world = world.copy();
      if (step !== undefined) world.take(step);
      this.#worlds.push(world);
    }
    return world;
  }
}

const FIRST_LETTER = 65;
const letterOf = (index: number) => String.fromCharCode(FIRST_LETTER + index);
const letterIndex = (letter: string) => letter.charCodeAt(0) - FIRST_LETTER;

function inWords(path: string, steps: readonly Step[]): string {
  return [...path]
    .map((letter) => steps[letterIndex(letter)])
    .map((step) => `${step?.instance} ${step?.move}`)
    .join(", ");
}

/** Runs one seed: a random world, a system, and a judge that follows it. */
import type { OracleConfig } from "../oracle-state";
import { type Breach, Judge } from "./judge";
import { Rng } from "./rng";
import { Simulator } from "./simulator";
import { EngineSystem, type System } from "./systems";
import { randomWorld, type WorldOptions } from "./workload";

export interface SeedResult {
  readonly seed: number;
  readonly events: number;
  readonly breach: Breach | undefined;
  readonly checks: ReadonlyMap<string, number>;
}

export interface SeedOptions extends WorldOptions {
  readonly events: number;
  readonly makeSystem?: (config: OracleConfig) => System;
  /** Steps between comparisons of everything the system reports. */
  readonly readEvery?: number;
}

export function runSeed(seed: number, options: SeedOptions): SeedResult {
  const rng = new Rng(seed);
  const world = randomWorld(rng, options);
  const config: OracleConfig = {
    algorithm: world.algorithm,
    defaultPoolSize: 4,
    ceiling: world.ceiling,
    maxQueuePerPool: world.maxQueuePerPool,
  };
  const system = (options.makeSystem ?? ((given) => new EngineSystem(given)))(config);
  const judge = new Judge({ config, system, readEvery: options.readEvery ?? 16 });
  const simulator = new Simulator({
    rng,
    world,
    system,
    watch: (event, nowMs, effects) => {
      judge.see(event, nowMs, effects);
      if (judge.breach !== undefined) simulator.stop();
    },
  });
  simulator.run(options.events);
  return { seed, events: simulator.events, breach: judge.breach, checks: judge.checks };
}

/** The line that replays a seed. */
export function replayLine(result: SeedResult): string {
  const { seed, events, breach } = result;
  return `${breach?.property ?? "ok"}: ${breach?.message ?? ""} at ${breach?.nowMs ?? 0} ms; replay: npm run sim -- --seed ${seed} --seeds 1 --each ${events}`;
}

/** What a soak does to a fleet, each fault from its beginning until it is undone. */
import type { BalancedLoad } from "../../e2e/support/balanced-load";
import type { Fleet, Gateway } from "../../e2e/support/fleet";
import type { Outage, Stall } from "../../e2e/support/limit-trial";

export interface FaultStage {
  readonly fleet: Fleet;
  readonly load: BalancedLoad;
  /** Uniform in [0, 1). */
  readonly dice: () => number;
}

export interface Damage {
  /** While Redis answered nobody, wall clock. */
  readonly outage?: Outage;
  readonly stall?: Stall;
  /** Gateways that the slots may have been divided over meanwhile, at the least. */
  readonly sharers: number;
}

type Fault = (stage: FaultStage) => Promise<Damage>;

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const between = (dice: () => number, from: number, to: number) => from + dice() * (to - from);

export const FAULTS: Readonly<Record<string, Fault>> = {
  "Redis hangs": async ({ fleet, dice }) => {
    const fromMs = Date.now();
    fleet.redis.pause();
    await sleep(between(dice, 100, 4000));
    fleet.redis.resume();
    return { outage: { fromMs, toMs: Date.now() }, sharers: fleet.gateways.length };
  },
  "Redis crashes and comes back empty": async ({ fleet, dice }) => {
    const fromMs = Date.now();
    await fleet.redis.kill();
    await sleep(between(dice, 0, 4000));
    await fleet.redis.restart();
    return { outage: { fromMs, toMs: Date.now() }, sharers: fleet.gateways.length };
  },
  "connections are cut": async ({ fleet }) => {
    fleet.wire.cut();
    fleet.wire.mend();
    return { sharers: fleet.gateways.length };
  },
  "the script cache is lost": async ({ fleet }) => {
    await fleet.redis.command("SCRIPT", "FLUSH", "SYNC");
    return { sharers: fleet.gateways.length };
  },
  "answers are late": async ({ fleet, dice }) => {
    const [least, more] = [between(dice, 0, 250), between(dice, 0, 150)];
    fleet.wire.delayMs = () => least + dice() * more;
    await sleep(between(dice, 1000, 5000));
    fleet.wire.delayMs = () => 0;
    return { sharers: fleet.gateways.length };
  },
  "a gateway is killed and replaced": async ({ fleet, load, dice }) => {
    const [doomed, others] = oneOf(fleet, dice);
    load.setTargets(others);
    fleet.gateways = others;
    doomed.process.kill("SIGKILL");
    await sleep(between(dice, 0, 6000));
    await fleet.addGateways(1);
    load.setTargets(fleet.gateways);
    return { sharers: fleet.gateways.length - 1 };
  },
  "a gateway stands still": async ({ fleet, load, dice }) => {
    const [still, others] = oneOf(fleet, dice);
    load.setTargets(others);
    const fromMs = Date.now();
    still.process.kill("SIGSTOP");
    await sleep(between(dice, 500, 6000));
    const stall = { marker: still.name, fromMs, toMs: Date.now() };
    still.process.kill("SIGCONT");
    load.setTargets(fleet.gateways);
    return { stall, sharers: others.length };
  },
};

function oneOf(fleet: Fleet, dice: () => number): [Gateway, Gateway[]] {
  const chosen = fleet.gateways[Math.floor(dice() * fleet.gateways.length)];
  if (chosen === undefined) throw new Error("a fleet has gateways");
  return [chosen, fleet.gateways.filter((gateway) => gateway !== chosen)];
}

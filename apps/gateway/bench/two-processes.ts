/** Two gateways on two cores: whether they get in each other's way. */

import { type Bench, runLoad } from "./bench";
import { type Child, cpuSeconds, startLoad, startScript } from "./child";
import { type Figure, ratioFigure } from "./figures";
import { AMPLE, bundled } from "./peers";
import { chatRequest } from "./workload";

/** CPU per request of both together, beside the first alone. */
export async function twoProcessesFigure({ stub, load, rounds, roundMs }: Bench): Promise<Figure> {
  const args = [String(stub.port), String(AMPLE)];
  const gateways = await Promise.all([0, 1].map((core) => startScript(bundled("obleth"), args, core)));
  const second = startLoad(bundled("load"), 1);
  const loads = [load, second];
  const run = (members: readonly Child[]): Promise<number> =>
    cpuPerRequest(members, (member, index) =>
      runLoad(loads[index] ?? load, {
        port: member.port,
        connections: 64,
        durationMs: roundMs,
        request: chatRequest(),
      }),
    );
  const alone: number[] = [];
  const together: number[] = [];
  try {
    await run(gateways);
    await run(gateways);
    for (let round = 0; round < rounds; round++) {
      alone.push(await run(gateways.slice(0, 1)));
      together.push(await run(gateways));
    }
  } finally {
    for (const gateway of gateways) gateway.process.kill();
    second.kill();
  }
  return ratioFigure(together, alone, {
    name: "CPU per request, two processes beside one",
    unit: "us",
    target: 1.05,
    stretch: null,
  });
}

async function cpuPerRequest(
  members: readonly Child[],
  load: (member: Child, index: number) => Promise<{ requests: number }>,
): Promise<number> {
  const before = members.map(cpuSeconds);
  const results = await Promise.all(members.map(load));
  const cpu = members.reduce((sum, member, index) => sum + cpuSeconds(member) - (before[index] ?? 0), 0);
  return (cpu * 1e6) / results.reduce((sum, { requests }) => sum + requests, 0);
}

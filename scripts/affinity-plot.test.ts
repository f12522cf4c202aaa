import { describe, expect, it } from "vitest";
import {
  CONTENTION,
  type Contention,
  FAVOURS,
  type FavourName,
  SERVERS,
  type ServerName,
  type StudyPoint,
} from "../packages/fairshare/test/eval/affinity-study";
import { together } from "../packages/fairshare/test/eval/agent-measures";
import { affinityPlot } from "./affinity-plot";

const TOKENS = { off: 100, defaults: 50, "run through": 0 };
const points = (Object.keys(SERVERS) as ServerName[]).flatMap((server) =>
  (Object.keys(CONTENTION) as Contention[]).flatMap((contention) =>
    (Object.keys(FAVOURS) as FavourName[]).map(
      (favour): StudyPoint => ({
        server,
        contention,
        favour,
        is: {
          ...together([]),
          p50Secs: 10,
          nextP95Secs: 20,
          tokensPerSec: TOKENS[favour],
          shotP95Secs: 0,
        },
      }),
    ),
  ),
);

describe("the plot of the affinity study", () => {
  it("draws a line of four points for each setting in each of its panels", () => {
    const svg = affinityPlot(points);
    const paths = [...svg.matchAll(/<path class="([\w-]+)" d="([^"]+)"/g)];
    expect(paths.length).toBe(2 * 4 * 3);
    for (const [, , d = ""] of paths) expect(d.match(/[ML]/g)?.length).toBe(4);
  });

  it("puts twice as much twice as far above the ground", () => {
    const svg = affinityPlot(points);
    const throughput = 4;
    const heightOf = (name: string) =>
      Number([...svg.matchAll(new RegExp(`class="${name}" d="M[\\d.]+,([\\d.]+)`, "g"))][throughput]?.[1]);
    const ground = heightOf("run-through");
    expect(ground - heightOf("off")).toBeCloseTo(2 * (ground - heightOf("defaults")), 0);
    expect(ground).toBeGreaterThan(heightOf("off"));
  });
});

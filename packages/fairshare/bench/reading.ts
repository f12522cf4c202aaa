/** What a snapshot and a preview cost with 200 pools and 2,000 tenants, all waiting. */

import { type Figure, ratioFigure, valueFigure } from "../../../scripts/figure";
import { createEngine, type EngineState, poolId, snapshot, step, waiterId } from "../src/index";
import { previewChanges } from "../src/preview";
import { makePeople } from "./people";
import { alternate, collectGarbage, cpuMicrosOf } from "./rounds";

/** 200 pools in which 2,000 tenants of eight groups wait. */
function crowdedPools(): EngineState {
  const state = createEngine({ defaultPoolSize: 4 });
  const people = makePeople(2000, 8);
  let id = 0;
  people.forEach((person, i) => {
    for (let times = 0; times < 3; times++) {
      id += 1;
      step(
        state,
        {
          kind: "arrive",
          waiterId: waiterId(id),
          pool: poolId(`pool-${i % 200}`),
          tenant: person.tenant,
          key: person.key,
          costTokens: 100,
          session: null,
          timeoutMs: null,
        },
        0,
      );
    }
  });
  return state;
}

/** A snapshot of 200 pools with 2,000 tenants beside writing it as JSON once. */
export async function snapshots(rounds: number): Promise<Figure> {
  const state = crowdedPools();
  const times = 20;
  const own = () =>
    cpuMicrosOf(() => {
      for (let i = 0; i < times; i++) snapshot(state, 0);
    }) / times;
  const picture = snapshot(state, 0);
  const beside = () =>
    cpuMicrosOf(() => {
      for (let i = 0; i < times; i++) JSON.stringify(picture);
    }) / times;
  const name = "snapshot of 200 pools and 2,000 tenants, beside one JSON.stringify of it";
  return ratioFigure(name, await alternate(rounds, own, beside), { unit: "us", atMost: 1, stretch: 0.5 });
}

/** What new weights for all eight groups would do in all of 200 pools, next steps included. */
export function previews(rounds: number): Figure {
  const engine = snapshot(crowdedPools(), 0);
  const preview = (value: number) =>
    previewChanges({
      engine,
      changes: Array.from({ length: 8 }, (_, i) => ({ kind: "group_weight", id: `group-${i}`, value: value + i })),
    });
  const times = 20;
  const costs = Array.from({ length: rounds }, () => {
    collectGarbage();
    for (let i = 0; i < 3 * times; i++) preview(300 + i);
    const micros = cpuMicrosOf(() => {
      for (let i = 0; i < times; i++) preview(400 + i);
    });
    return micros / times / 1000;
  });
  return valueFigure("preview of eight group weights in 200 pools with 2,000 tenants", costs, {
    unit: "ms",
    atMost: 10,
  });
}

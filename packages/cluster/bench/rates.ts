/** Rates measured side by side in alternated rounds. */
import type { Rounds } from "../../../scripts/figure";

/** Operations per second of one round. */
export type Side = () => Promise<number>;

/** Measures both sides in turn after one unmeasured round of each. */
export async function alternate(count: number, own: Side, beside: Side): Promise<Rounds> {
  await own();
  await beside();
  const rounds = { own: [] as number[], beside: [] as number[] };
  for (let round = 0; round < count; round++) {
    rounds.own.push(await own());
    rounds.beside.push(await beside());
  }
  return rounds;
}

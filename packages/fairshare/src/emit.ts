import type { Effect } from "./effects";
import type { EngineState } from "./state";

/** What a step returns that asks for nothing. Not frozen: engines iterate over frozen arrays several times slower. */
export const NO_EFFECTS: readonly Effect[] = [];

/** Adds an effect to those of the present step. Most steps have none or one, and none costs nothing. */
export function emit(state: EngineState, effect: Effect): void {
  if (state.effects.length === 0) state.effects = [effect];
  else state.effects = [...state.effects, effect];
}

/** What can happen in a small world. Which of it can happen next is `World.allows`. */

const MOVES = [
  "claim",
  "claim, one more waits",
  "claim, answer lost",
  "claim, late",
  "finish",
  "finish again",
  "hold",
  "withdraw",
  "beat",
  "beat, late",
  "crash",
  "books are lost",
  "wait a turn",
  "wait a life",
] as const;

export interface Step {
  readonly move: (typeof MOVES)[number];
  readonly instance: string;
}

/** Every step that some state of the world allows. */
export function stepsOf(instances: readonly string[]): Step[] {
  return MOVES.flatMap((move) =>
    (isOfFleet(move) ? instances.slice(0, 1) : instances).map((instance) => ({ move, instance })),
  );
}

/** Happens to all replicas at once; its instance means nothing. */
export function isOfFleet(move: Step["move"]): boolean {
  return move.startsWith("wait") || move === "books are lost";
}

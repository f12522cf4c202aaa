/** The only ways engine code gives up: a broken invariant is a bug in the engine, never a reaction to input. */

/** A state that cannot be. Fails the test that meets it; in production the process reports itself not ready. */
export class InvariantError extends Error {
  readonly code = "invariant";

  constructor(message: string) {
    super(message);
    this.name = "InvariantError";
  }
}

/** Throws an InvariantError with `message` unless `condition` holds. */
export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new InvariantError(message);
}

/** Closes a switch over a closed union: compiles only when every member has a case. */
export function unreachable(value: never): never {
  throw new InvariantError(`unexpected case: ${JSON.stringify(value)}`);
}

/** What this machine, as busy as it is, may need beyond what the product promises. */

/** Looks that fit into the allowance of a promise in seconds: a second or so on a quiet machine, more on a busy one. */
const ALLOWED_LOOKS = 100;
const LOOKS = 5;

/** By how long looks take, ms: each is a question to the programs that keep the promise. */
export async function allowanceMs(look: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  for (let i = 0; i < LOOKS; i++) await look();
  return (ALLOWED_LOOKS / LOOKS) * (performance.now() - startedMs);
}

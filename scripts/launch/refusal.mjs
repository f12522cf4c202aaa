/** A reason not to go on that one line explains; printed without a stack. */
export class Refusal extends Error {}

/**
 * Runs `main` and turns a refusal into its one line and exit code 1.
 * @param {() => Promise<number>} main resolves to the exit code
 */
export async function exitWith(main) {
  try {
    process.exitCode = await main();
  } catch (error) {
    process.exitCode = 1;
    console.error(error instanceof Refusal ? error.message : error);
  }
}

/**
 * Property tests draw the same histories in every run, so that a red run is always the fault of the change it tests.
 * `OBLETH_TEST_SEED=random` draws others, and prints the seed with what it found; a number draws those of that seed.
 */
import fc from "fast-check";

const DEFAULT_SEED = 20_261_130;

const given = process.env.OBLETH_TEST_SEED;
if (given !== "random") fc.configureGlobal({ seed: given === undefined ? DEFAULT_SEED : Number(given) });

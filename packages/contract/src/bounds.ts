/**
 * The largest and smallest values of what people set, each said once. Without schemas, so that a page can check what is
 * typed by the numbers the API will check it by.
 */

/** Largest weight; the engine's scores stay exact up to it and far beyond. */
export const MAX_WEIGHT = 1_000_000;
/** Largest number of slots a cap or pool size may ask for; a mistyped one must not lift every limit. */
export const MAX_SLOTS = 1_000_000;
/** Largest token count: the largest whole number that JSON and JavaScript carry exactly (2^53 - 1). */
export const MAX_TOKENS = Number.MAX_SAFE_INTEGER;
/** Largest limit of tokens per minute: beyond what any fleet serves, so only a mistyped one is refused. */
export const MAX_TOKENS_PER_MINUTE = 1_000_000_000_000;
/** Largest sum of money in US dollars. */
export const MAX_USD = 1_000_000_000;
/** How much a boost by factor may take from a weight. */
export const MIN_BOOST_FACTOR = 0.1;
/** How much it may add. At the next power of ten a tenant would be left alone with the pool. */
export const MAX_BOOST_FACTOR = 100;
/** Shortest password, in characters. */
export const MIN_PASSWORD_LENGTH = 10;

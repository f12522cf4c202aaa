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
/** Largest percentage that scales tenants' weights on one model. */
export const MAX_ADMISSION_WEIGHT = 10_000;
/** Longest time a request may take at a backend, s: a day. */
export const MAX_REQUEST_TIMEOUT_SECS = 86_400;
/** Most times a request is tried again on another endpoint. */
export const MAX_RETRIES = 10;
/** Largest priority of an endpoint; the lower goes first. */
export const MAX_PRIORITY = 1000;
/** Most slots that one server may be said to have. */
export const MAX_SLOTS_PER_SERVER = 100_000;
/** Largest factor between what servers say they can run and the pool's size. */
export const MAX_HEADROOM = 10;
/** Longest time a slot is kept for a session's next step, ms. The fleet's books hold none longer. */
export const MAX_HOLD_MS = 60_000;
/** Longest bypass limit, s: the wait after which nothing passes a request any more. */
export const MAX_BYPASS_SECS = 3600;

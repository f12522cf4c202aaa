/**
 * Every Redis key and field name. Nothing else builds one, so that the layout page can list them all and a prefix is
 * enough to keep two deployments apart. Names that users choose are escaped: `%`, `|`, `{` and `}` cannot appear in a
 * part, so a name can neither collide with another nor move a key to a different hash slot.
 */

/** What the names are built from. */
export interface KeyOptions {
  /** What all names begin with, for example `obleth`. */
  readonly prefix: string;
  /** Redis Cluster: the prefix becomes the hash tag, so that every key lies in one hash slot. */
  readonly isCluster: boolean;
}

/** Every key and channel of one installation. */
export interface Keys {
  /** zset: instance id by expiry. */
  readonly replicas: string;
  /** hash: totals and wait marks. */
  readonly slots: string;
  /** hash: what one replica holds. */
  held(instance: string): string;
  /** string: one replica's published view. */
  view(instance: string): string;
  /** zset: held sessions by the moment the hold runs out. */
  readonly holds: string;
  /** hash: when a session's step last finished, and its holds in a row. */
  readonly sessions: string;
  /** zset: sessions by the moment they are forgotten. */
  readonly sessionsDue: string;
  /** Channel: pools with a freed slot somebody waits for. */
  readonly released: string;
  /** Channel: a replica came or went. */
  readonly membership: string;
  /** hash and zset of a minute's bucket. */
  minuteBudget(subject: string): readonly [book: string, due: string];
  /** hash and zset of a term's books. */
  termBudget(subject: string, term: string): readonly [book: string, due: string];
}

/** The names under a prefix. With `isCluster` all of them have one hash tag. */
export function makeKeys({ prefix, isCluster }: KeyOptions): Keys {
  const base = isCluster ? `{${prefix}}` : prefix;
  return {
    replicas: `${base}:gateway:replicas`,
    slots: `${base}:fairshare:slots`,
    held: (instance) => `${base}:fairshare:held:${escapePart(instance)}`,
    view: (instance) => `${base}:fairshare:view:${escapePart(instance)}`,
    holds: `${base}:fairshare:hold`,
    sessions: `${base}:fairshare:hold:sessions`,
    sessionsDue: `${base}:fairshare:hold:due`,
    released: `${base}:fairshare:released`,
    membership: `${base}:gateway:membership`,
    minuteBudget: (subject) => accountKeys(`${base}:budget:${escapePart(subject)}`),
    termBudget: (subject, term) => accountKeys(`${base}:term:${escapePart(subject)}|${escapePart(term)}`),
  };
}

/** A name as one part of a key or field: `%`, `|`, `{` and `}` as percent escapes. Different names stay different. */
export function escapePart(name: string): string {
  return SPECIAL.test(name) ? name.replace(SPECIAL_ALL, (c) => ESCAPES[c] ?? c) : name;
}

/** The name that `escapePart` was given. */
export function unescapePart(part: string): string {
  return part.includes("%") ? part.replace(/%(25|7C|7B|7D)/g, (code) => UNESCAPES[code] ?? code) : part;
}

const SPECIAL = /[%|{}]/;
const SPECIAL_ALL = /[%|{}]/g;
const ESCAPES: Readonly<Record<string, string>> = { "%": "%25", "|": "%7C", "{": "%7B", "}": "%7D" };
const UNESCAPES: Readonly<Record<string, string>> = { "%25": "%", "%7C": "|", "%7B": "{", "%7D": "}" };

/** An account's book and its reservations by when they lapse, which share a name so that both are found together. */
function accountKeys(book: string): readonly [book: string, due: string] {
  return [book, `${book}|open`];
}

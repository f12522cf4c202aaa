/** Which version of each group its draft weight was begun on, so that a save never goes over a change its author has not seen. */

interface HasVersion {
  readonly name: string;
  readonly version: number;
}

export type Versions = ReadonlyMap<string, number>;

/** Versions for all that is drafted: as they were when each draft was first seen. The same map when nothing came or went. */
export function begunVersions(
  before: Versions,
  { groups, drafted }: { readonly groups: readonly HasVersion[]; readonly drafted: ReadonlySet<string> },
): Versions {
  const after = new Map<string, number>();
  for (const { name, version } of groups) {
    if (drafted.has(name)) after.set(name, before.get(name) ?? version);
  }
  const isSame = after.size === before.size && [...after.keys()].every((name) => before.has(name));
  return isSame ? before : after;
}

/** Drafted groups that somebody changed since. */
export function changedSince(begun: Versions, groups: readonly HasVersion[]): string[] {
  return groups.filter(({ name, version }) => (begun.get(name) ?? version) !== version).map(({ name }) => name);
}

/** Which of the six colours each group has where several are drawn together: no two alike while there are enough. */

export const GROUP_COLOURS = 6;

interface StoredColor {
  readonly name: string;
  /** The group's own index; the seventh colour and later ones do not exist. */
  readonly color: number;
}

/**
 * The colour of each group, null for those that must share the grey. A group has its own colour wherever it is drawn.
 * Only one without, or with another's, is given what these groups leave free, so that grey means more groups than colours.
 */
export function groupColors(groups: Iterable<StoredColor>): ReadonlyMap<string, number | null> {
  const colors = new Map<string, number | null>();
  const without: StoredColor[] = [];
  const taken = new Set<number>();
  for (const group of [...groups].sort((a, b) => a.color - b.color || (a.name < b.name ? -1 : 1))) {
    if (colors.has(group.name)) continue;
    const isOwn = group.color < GROUP_COLOURS && !taken.has(group.color);
    colors.set(group.name, isOwn ? group.color : null);
    if (isOwn) taken.add(group.color);
    else without.push(group);
  }
  for (const { name, color } of without) {
    const free = firstFree(color % GROUP_COLOURS, taken);
    if (free === null) break;
    taken.add(free);
    colors.set(name, free);
  }
  return colors;
}

function firstFree(from: number, taken: ReadonlySet<number>): number | null {
  for (let step = 0; step < GROUP_COLOURS; step += 1) {
    const color = (from + step) % GROUP_COLOURS;
    if (!taken.has(color)) return color;
  }
  return null;
}

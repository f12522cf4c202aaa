/** Groups as the table lists them: configured and live, with the weight a draft gives them. */
import { splitSlots } from "@obleth/fairshare/shares";
import { parseWeight } from "../../../lib/weight";

interface ConfiguredGroup {
  readonly name: string;
  readonly weight: number;
  readonly color: number;
  readonly tenant_count: number;
}

interface LiveCounts {
  readonly name: string;
  readonly in_flight: number;
  readonly held: number;
  readonly queued: number;
  readonly borrowed: number;
}

export interface GroupRow {
  readonly name: string;
  readonly color: number;
  readonly tenantCount: number;
  readonly weight: number;
  /** As typed; the weight in force while nothing is. */
  readonly draft: string;
  readonly error: string | null;
  readonly isChanged: boolean;
  /** Has work in some pool now. */
  readonly isActive: boolean;
  readonly inUse: number;
  readonly queued: number;
  readonly borrowed: number;
  /** Slots of the trial pool now and under the draft; null when it takes no part. */
  readonly before: number | null;
  readonly after: number | null;
  /** Of a group that takes no part: what it would get of the trial pool, were it to come. */
  readonly wouldGet: number | null;
}

interface TrialInput {
  readonly groups: readonly ConfiguredGroup[];
  readonly live: readonly LiveCounts[];
  readonly drafts: ReadonlyMap<string, string>;
  /** Slots of the trial pool. */
  readonly size: number;
  /** Every group takes part, not only those with work. */
  readonly isEveryone: boolean;
}

/** One row per group, largest weight first, with its slots of the trial pool by the engine's own split. */
export function groupRows(input: TrialInput): GroupRow[] {
  const live = new Map(input.live.map((group) => [group.name, group]));
  const isTaking = (name: string) => input.isEveryone || live.has(name);
  const taking = input.groups.filter((group) => isTaking(group.name));
  const weightOf = ({ name, weight }: ConfiguredGroup) =>
    draftedWeight({ draft: input.drafts.get(name) ?? String(weight), weight });
  const before = partsOf(taking, input.size, (group) => group.weight);
  const after = partsOf(taking, input.size, weightOf);
  return [...input.groups]
    .sort((a, b) => b.weight - a.weight || (a.name < b.name ? -1 : 1))
    .map((group) => {
      const counts = live.get(group.name);
      const draft = input.drafts.get(group.name) ?? String(group.weight);
      const parsed = parseWeight(draft);
      return {
        name: group.name,
        color: group.color,
        tenantCount: group.tenant_count,
        weight: group.weight,
        draft,
        error: "error" in parsed ? parsed.error : null,
        isChanged: draft !== String(group.weight),
        isActive: counts !== undefined,
        inUse: (counts?.in_flight ?? 0) + (counts?.held ?? 0),
        queued: counts?.queued ?? 0,
        borrowed: counts?.borrowed ?? 0,
        before: before.get(group.name) ?? null,
        after: after.get(group.name) ?? null,
        wouldGet: isTaking(group.name)
          ? null
          : (partsOf([...taking, group], input.size, weightOf).get(group.name) ?? null),
      };
    });
}

function partsOf(
  groups: readonly ConfiguredGroup[],
  size: number,
  weightOf: (group: ConfiguredGroup) => number,
): Map<string, number> {
  const parts = splitSlots(
    size,
    groups.map((group) => ({ id: group.name, weight: weightOf(group), score: 0 })),
  );
  return new Map(groups.map((group, index) => [group.name, parts[index] ?? 0]));
}

/** The weight that a group would have: the drafted one where that is a weight. */
export function draftedWeight(row: Pick<GroupRow, "draft" | "weight">): number {
  const parsed = parseWeight(row.draft);
  return "value" in parsed ? parsed.value : row.weight;
}

/** The valid drafts that differ from what is in force. */
export function changedWeights(rows: readonly GroupRow[]): Record<string, number> {
  const entries = rows.flatMap((row): [string, number][] => {
    const parsed = parseWeight(row.draft);
    return row.isChanged && "value" in parsed ? [[row.name, parsed.value]] : [];
  });
  return Object.fromEntries(entries);
}

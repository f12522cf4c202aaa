/** Previews as the pages list them, whether the browser computed them or the gateway. */
import {
  counterpartWords,
  flagWords,
  movementWords,
  nextStepWords,
  type PoolPreview,
  type Preview,
  type PreviewChange,
  previewHeadline,
} from "@obleth/fairshare/preview";
import type { PreviewPool } from "../queries/wire";

/** One group, tenant or key before and after. */
export interface PreviewPart {
  readonly level: "group" | "tenant" | "key";
  readonly id: string;
  readonly name: string;
  readonly before: number;
  readonly after: number;
  readonly settledBefore: number;
  readonly settledAfter: number;
  readonly inUse: number | null;
}

export interface PreviewRow {
  readonly pool: string;
  readonly sizeBefore: number;
  readonly sizeAfter: number;
  readonly summary: string;
  /** Everyone whose slots change, the largest change first; never groups and tenants mixed. */
  readonly groups: readonly PreviewPart[];
  readonly tenants: readonly PreviewPart[];
  readonly keys: readonly PreviewPart[];
  readonly moved: number;
  readonly toFinish: number;
  readonly movement: string;
  readonly warnings: readonly string[];
  /** Codes of the warnings, for deciding how much a save must ask. */
  readonly flags: readonly string[];
  readonly nextStep: string | null;
}

export type NameOf = (id: string) => string;

/** From the preview made in the browser. */
export function rowsOfPreview(preview: Preview, changes: readonly PreviewChange[], nameOf: NameOf): PreviewRow[] {
  return preview.pools.map((pool) => {
    const one: Preview = { ...preview, pools: [pool], movedSlots: pool.moved, movedPools: pool.moved > 0 ? 1 : 0 };
    return {
      pool: pool.pool,
      sizeBefore: pool.size.before,
      sizeAfter: pool.size.after,
      summary: headlineWithCounterpart(one, pool, { changes, nameOf }),
      groups: pool.groups.map((part) => partOf("group", part, nameOf)),
      tenants: pool.tenants.map((part) => partOf("tenant", part, nameOf)),
      keys: pool.keys.map((part) => partOf("key", part, nameOf)),
      moved: pool.moved,
      toFinish: pool.toFinish,
      movement: movementWords(pool),
      warnings: distinct(loudFlags(pool.flags).map((flag) => flagWords(flag, pool, nameOf))),
      flags: pool.flags.map((flag) => flag.flag),
      nextStep: nextStepOf(pool),
    };
  });
}

/** From the gateway's answer. */
export function rowsOfAnswer(pools: readonly PreviewPool[]): PreviewRow[] {
  return pools.map((pool) => ({
    pool: pool.pool,
    sizeBefore: pool.size_before,
    sizeAfter: pool.size_after,
    summary: pool.summary,
    groups: pool.groups.map((part) => wirePart("group", { id: part.name, name: part.name }, part)),
    tenants: pool.tenants.map((part) => wirePart("tenant", { id: part.tenant_id, name: part.name }, part)),
    keys: pool.keys.map((part) => wirePart("key", { id: part.key_id, name: part.name }, part)),
    moved: Math.max(slotsOf(pool.gains), slotsOf(pool.gives_up)),
    toFinish: pool.to_finish,
    movement: pool.movement,
    warnings: distinct(loudFlags(pool.flags).map((flag) => flag.text)),
    flags: pool.flags.map((flag) => flag.flag),
    nextStep: pool.next_step?.text ?? null,
  }));
}

/** Parts whose slots change, the largest change first; `keep` stays in even when its slots do not. */
export function changedParts(parts: readonly PreviewPart[], keep: string | null = null): PreviewPart[] {
  return parts
    .filter((part) => part.after !== part.before || part.id === keep)
    .sort(
      (a, b) =>
        Number(b.id === keep) - Number(a.id === keep) ||
        Math.abs(b.after - b.before) - Math.abs(a.after - a.before) ||
        (a.name < b.name ? -1 : 1),
    );
}

/** Whether anything of the pool runs or waits; in one without, a draft moves nothing. */
export function hasWork(row: PreviewRow): boolean {
  return !row.flags.includes("no_work");
}

/** Said elsewhere on the page, by the next step or by the summary. */
const QUIET_FLAGS = new Set(["no_change_rounding", "no_work"]);

function loudFlags<Flag extends { readonly flag: string }>(flags: readonly Flag[]): Flag[] {
  return flags.filter((flag) => !QUIET_FLAGS.has(flag.flag));
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}

interface Naming {
  readonly changes: readonly PreviewChange[];
  readonly nameOf: NameOf;
}

function headlineWithCounterpart(preview: Preview, pool: PoolPreview, { changes, nameOf }: Naming): string {
  const headline = previewHeadline(preview, changes, nameOf);
  const [only] = changes;
  if (changes.length !== 1 || only === undefined || pool.moved === 0) return headline;
  const others = counterpartWords(pool, only.id, nameOf);
  return others === "" ? headline : `${headline.replace(/\.$/, "")}, ${others}.`;
}

type EnginePart = PoolPreview["groups"][number];

function partOf(level: PreviewPart["level"], part: EnginePart, nameOf: NameOf): PreviewPart {
  return {
    level,
    id: part.id,
    name: nameOf(part.id),
    before: part.slots.before,
    after: part.slots.after,
    settledBefore: part.settled.before,
    settledAfter: part.settled.after,
    inUse: part.inUse,
  };
}

interface WireSplit {
  readonly slots_before: number;
  readonly slots_after: number;
  readonly settled_before: number;
  readonly settled_after: number;
}

function wirePart(level: PreviewPart["level"], who: { id: string; name: string }, split: WireSplit): PreviewPart {
  return {
    level,
    ...who,
    before: split.slots_before,
    after: split.slots_after,
    settledBefore: split.settled_before,
    settledAfter: split.settled_after,
    inUse: null,
  };
}

function nextStepOf(pool: PoolPreview): string | null {
  const [step] = pool.nextSteps;
  return step === undefined ? null : nextStepWords(step, pool.moved > 0);
}

/** Slots of tenants; groups are listed among the movers too. */
function slotsOf(movers: readonly { readonly type: string; readonly slots: number }[]): number {
  return movers.filter((mover) => mover.type === "tenant").reduce((sum, mover) => sum + mover.slots, 0);
}

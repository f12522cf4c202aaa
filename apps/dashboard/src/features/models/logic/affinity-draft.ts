/** A model's session affinity as it is typed; an empty field follows the gateway. */
import { MAX_BYPASS_SECS, MAX_HOLD_MS } from "@obleth/contract/bounds";
import { formatExact, formatPercent, slotCount } from "../../../lib/format";
import { parseWhole } from "../../../lib/weight";

export interface Affinity {
  readonly enabled?: boolean | undefined;
  readonly hold_ms?: number | undefined;
  readonly max_held_percent?: number | undefined;
  readonly max_bypass_secs?: number | undefined;
}

export interface AffinityDraft {
  readonly mode: "follow" | "on" | "off";
  readonly holdMs: string;
  readonly heldPercent: string;
  readonly bypassSecs: string;
}

export const AFFINITY_RANGES = {
  holdMs: { what: "A hold time in ms", min: 0, max: MAX_HOLD_MS },
  heldPercent: { what: "A held percent", min: 0, max: 100 },
  bypassSecs: { what: "A bypass limit in s", min: 1, max: MAX_BYPASS_SECS },
} as const;

export function affinityDraft(affinity: Affinity): AffinityDraft {
  return {
    mode: affinity.enabled === undefined ? "follow" : affinity.enabled ? "on" : "off",
    holdMs: affinity.hold_ms?.toString() ?? "",
    heldPercent: affinity.max_held_percent?.toString() ?? "",
    bypassSecs: affinity.max_bypass_secs?.toString() ?? "",
  };
}

export type AffinityField = keyof typeof AFFINITY_RANGES;

export function affinityErrors(draft: AffinityDraft): Record<AffinityField, string | null> {
  const error = (field: AffinityField) => {
    const parsed = parse(draft, field);
    return parsed !== undefined && "error" in parsed ? parsed.error : null;
  };
  return { holdMs: error("holdMs"), heldPercent: error("heldPercent"), bypassSecs: error("bypassSecs") };
}

/** The body to save: only what does not follow the gateway. */
export function affinityOf(draft: AffinityDraft): Affinity {
  const value = (field: AffinityField) => {
    const parsed = parse(draft, field);
    return parsed !== undefined && "value" in parsed ? parsed.value : undefined;
  };
  const [holdMs, heldPercent, bypassSecs] = [value("holdMs"), value("heldPercent"), value("bypassSecs")];
  return {
    ...(draft.mode === "follow" ? {} : { enabled: draft.mode === "on" }),
    ...(holdMs === undefined ? {} : { hold_ms: holdMs }),
    ...(heldPercent === undefined ? {} : { max_held_percent: heldPercent }),
    ...(bypassSecs === undefined ? {} : { max_bypass_secs: bypassSecs }),
  };
}

/** Whether a model's affinity is set, or follows the gateway. */
export function affinityWord(enabled: boolean | undefined): string {
  return enabled === undefined ? "gateway's" : enabled ? "on" : "off";
}

/** The chart's sentence. Each gateway counts what it sees: a slot that one holds may be taken at another. */
export function holdSentence({ hold, redeem, gateways }: { hold: number; redeem: number; gateways: number }): string {
  const verdict = holdVerdict(hold, redeem);
  if (verdict === null) {
    return `No slot was held for a session${gateways > 1 ? " by this gateway" : ""} in the last hour.`;
  }
  const taken = `${formatExact(redeem)} of ${slotCount(hold, "held slot")} ${redeem === 1 ? "was" : "were"} taken (${formatPercent(redeem / hold)}).`;
  const seen = `${slotCount(hold)} held and ${formatExact(redeem)} taken as this gateway of ${gateways} saw it; one held here may be taken elsewhere.`;
  return `${gateways > 1 ? seen : taken} ${verdict}`;
}

/** What holding against redeeming says; null while nothing was held. */
export function holdVerdict(hold: number, redeem: number): string | null {
  if (hold === 0) return null;
  const part = redeem / hold;
  if (part > 0.8) return "Held slots are being used.";
  return part < 0.5 ? "Most holds run out: shorten the hold time or turn affinity off." : "Some held time is wasted.";
}

function parse(draft: AffinityDraft, field: AffinityField) {
  return draft[field].trim() === "" ? undefined : parseWhole(draft[field], AFFINITY_RANGES[field]);
}

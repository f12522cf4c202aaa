/** How a pool's size is found, as it is typed. */
import { MAX_HEADROOM, MAX_SLOTS_PER_SERVER } from "@obleth/contract/bounds";
import { errorOf, numberOf, parseAmount, parseOptional, parseSlots, parseWhole } from "../../../lib/weight";

export interface CapacityDraft {
  readonly mode: "static" | "tuned" | "discovered";
  /** Empty: the gateway's default. */
  readonly slots: string;
  readonly perServer: string;
  readonly headroom: string;
}

interface ModelFacts {
  readonly capacity_mode: CapacityDraft["mode"];
  readonly max_in_flight: number | null;
  readonly per_replica_max_in_flight: number | null;
  readonly capacity_headroom: number;
}

export function capacityDraft(model: ModelFacts): CapacityDraft {
  return {
    mode: model.capacity_mode,
    slots: model.max_in_flight?.toString() ?? "",
    perServer: model.per_replica_max_in_flight?.toString() ?? "",
    headroom: String(model.capacity_headroom),
  };
}

export interface CapacityErrors {
  readonly slots: string | null;
  readonly perServer: string | null;
  readonly headroom: string | null;
}

/** What is typed, read. */
function read(draft: CapacityDraft) {
  return {
    slots: parseOptional(draft.slots, parseSlots),
    perServer: parseOptional(draft.perServer, (text) =>
      parseWhole(text, { what: "Slots per server", max: MAX_SLOTS_PER_SERVER }),
    ),
    headroom: parseAmount(draft.headroom, { what: "Headroom", above: 0, max: MAX_HEADROOM }),
  };
}

export function capacityErrors(draft: CapacityDraft): CapacityErrors {
  const { slots, perServer, headroom } = read(draft);
  const isDiscovered = draft.mode === "discovered";
  return {
    slots: isDiscovered ? null : errorOf(slots),
    perServer: isDiscovered ? errorOf(perServer) : null,
    headroom: isDiscovered ? errorOf(headroom) : null,
  };
}

/** A draft without errors as the API takes it. */
export function capacityBody(draft: CapacityDraft) {
  const { slots, perServer, headroom } = read(draft);
  if (draft.mode !== "discovered") return { capacity_mode: draft.mode, max_in_flight: numberOf(slots) };
  return {
    capacity_mode: draft.mode,
    per_replica_max_in_flight: numberOf(perServer),
    capacity_headroom: numberOf(headroom),
  };
}

/** The size the draft asks for, as far as it can be known here; null for what the gateway finds out. */
export function draftSize(
  draft: CapacityDraft,
  facts: { defaultSize: number; readyServers: number | null },
): number | null {
  const { slots, perServer, headroom } = read(draft);
  if (draft.mode !== "discovered") return "value" in slots ? (slots.value ?? facts.defaultSize) : null;
  if (facts.readyServers === null || "error" in perServer || perServer.value === null || "error" in headroom)
    return null;
  return Math.max(1, Math.ceil(facts.readyServers * perServer.value * headroom.value));
}

export function isCapacityChanged(draft: CapacityDraft, model: ModelFacts): boolean {
  const now = capacityDraft(model);
  if (draft.mode !== now.mode) return true;
  if (draft.mode !== "discovered") return draft.slots.trim() !== now.slots;
  return draft.perServer.trim() !== now.perServer || draft.headroom.trim() !== now.headroom;
}

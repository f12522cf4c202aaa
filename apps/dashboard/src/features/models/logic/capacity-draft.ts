/** How a pool's size is found, as it is typed. */
import { parseSlots, parseWhole } from "../../../lib/weight";

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

const MAX_PER_SERVER = 100_000;
const MAX_HEADROOM = 10;

export function capacityErrors(draft: CapacityDraft): CapacityErrors {
  const slots = draft.slots.trim() === "" ? null : parseSlots(draft.slots);
  const perServer =
    draft.perServer.trim() === ""
      ? null
      : parseWhole(draft.perServer, { what: "Slots per server", max: MAX_PER_SERVER });
  const headroom = Number(draft.headroom);
  const isHeadroom = draft.headroom.trim() !== "" && headroom > 0 && headroom <= MAX_HEADROOM;
  const isDiscovered = draft.mode === "discovered";
  return {
    slots: !isDiscovered && slots !== null && "error" in slots ? slots.error : null,
    perServer: isDiscovered && perServer !== null && "error" in perServer ? perServer.error : null,
    headroom: isDiscovered && !isHeadroom ? "Headroom is above 0 and at most 10." : null,
  };
}

/** The size the draft asks for, as far as it can be known here; null for what the gateway finds out. */
export function draftSize(
  draft: CapacityDraft,
  facts: { defaultSize: number; readyServers: number | null },
): number | null {
  if (draft.mode !== "discovered") {
    if (draft.slots.trim() === "") return facts.defaultSize;
    const parsed = parseSlots(draft.slots);
    return "value" in parsed ? parsed.value : null;
  }
  const perServer = Number(draft.perServer);
  if (facts.readyServers === null || draft.perServer.trim() === "" || !Number.isInteger(perServer)) return null;
  return Math.max(1, Math.ceil(facts.readyServers * perServer * Number(draft.headroom)));
}

export function isCapacityChanged(draft: CapacityDraft, model: ModelFacts): boolean {
  const now = capacityDraft(model);
  if (draft.mode !== now.mode) return true;
  if (draft.mode === "discovered")
    return draft.perServer.trim() !== now.perServer || Number(draft.headroom) !== model.capacity_headroom;
  return draft.slots.trim() !== now.slots;
}

/** What one holder's lane of slots shows, cell by cell. */

export interface Holding {
  readonly in_flight: number;
  readonly held: number;
  /** Whole slots it may hold before it borrows. */
  readonly share: number;
}

export interface SlotCell {
  /** From 0, along the lane. */
  readonly place: number;
  readonly kind: "running" | "held" | "unused";
  /** Past the share. */
  readonly isBorrowed: boolean;
}

/** Running, then held, then what is left of the share; cells past the share are borrowed. */
export function slotCells(holding: Holding): SlotCell[] {
  const used = holding.in_flight + holding.held;
  return Array.from({ length: Math.max(used, holding.share) }, (_, index) => ({
    place: index,
    kind: index < holding.in_flight ? "running" : index < used ? "held" : "unused",
    isBorrowed: index < used && index >= holding.share,
  }));
}

/** Slots above the share. */
export function borrowedSlots(holding: Holding): number {
  return Math.max(0, holding.in_flight + holding.held - holding.share);
}

/** How high toasts stand, so that what has the focus is never under one. */

export interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

interface Standing {
  /** Of what has the focus, in the window; null when nothing in particular has it. */
  readonly focused: Box | null;
  /** What the toasts take up, wherever they stand just now. */
  readonly toasts: Box;
  readonly windowHeight: number;
}

/** From the window's lower edge to the toasts' when nothing is in their way. */
export const TOAST_FOOT = 16;
/** Room for a focus ring between a control and a toast. */
const RING = 8;

/**
 * Pixels from the window's lower edge to the toasts'. They stand at their foot, or right above what has the focus if that
 * lies there. What reaches up so far that no toast fits above it is larger than any control; it keeps them at the foot.
 */
export function toastLift({ focused, toasts, windowHeight }: Standing): number {
  if (focused === null) return TOAST_FOOT;
  const height = toasts.bottom - toasts.top;
  const isBeside = focused.right + RING <= toasts.left || focused.left - RING >= toasts.right;
  const isAbove = focused.bottom + RING <= windowHeight - TOAST_FOOT - height;
  if (isBeside || isAbove || focused.top >= windowHeight) return TOAST_FOOT;
  const lifted = windowHeight - focused.top + RING;
  return lifted + height <= windowHeight ? lifted : TOAST_FOOT;
}

/** Looks of the status bar's chips, buttons or not. */
export const CHIP = "inline-flex h-7 shrink-0 items-center gap-1.5 rounded-control px-1 text-micro sm:px-2 text-text-2";
export const CHIP_BUTTON = `${CHIP} hover:bg-subtle hover:text-text`;

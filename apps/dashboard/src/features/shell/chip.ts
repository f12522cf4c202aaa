/** Looks of the status bar's chips, buttons or not. On a phone they break into two lines, which the bar has room for. */
export const CHIP =
  "inline-flex h-7 shrink-0 items-center gap-1.5 rounded-control px-1 text-micro text-text-2 sm:px-2 max-sm:h-9 max-sm:min-w-0 max-sm:shrink max-sm:gap-1 max-sm:text-left max-sm:text-balance";
export const CHIP_BUTTON = `${CHIP} hover:bg-subtle hover:text-text`;

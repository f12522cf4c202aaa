import { NAV_LINKS } from "./nav-links";

/** Every shortcut, in the order the sheet lists them. */
export const SHORTCUTS: readonly { readonly keys: string; readonly does: string }[] = [
  { keys: "Ctrl K", does: "Search pages, pools, tenants, keys, models" },
  { keys: "?", does: "This list" },
  { keys: "/", does: "Filter the list" },
  { keys: "p", does: "Pause or resume updates" },
  { keys: "r", does: "Refresh" },
  { keys: "j k", does: "Next, previous row" },
  { keys: "Enter", does: "Open the row" },
  { keys: "Space", does: "Show a tenant's keys" },
  { keys: "w", does: "Why a tenant waits" },
  { keys: "e", does: "Edit the weight" },
  { keys: "[ ]", does: "Previous, next pool" },
  { keys: "1 to 5", does: "Filter by state" },
  { keys: "z", does: "Snooze an attention item" },
  { keys: "Ctrl Enter", does: "Save" },
  { keys: "Esc", does: "Close what is on top" },
  ...NAV_LINKS.map((link) => ({ keys: `g ${link.key}`, does: `Go to ${link.label}` })),
];

export interface NavLink {
  readonly href: string;
  readonly label: string;
  /** Pressed after `g`. */
  readonly key: string;
}

export const NAV_LINKS: readonly NavLink[] = [
  { href: "/", label: "Overview", key: "o" },
  { href: "/fairshare", label: "Fairshare", key: "f" },
  { href: "/models", label: "Models", key: "m" },
  { href: "/tenants", label: "Tenants", key: "t" },
  { href: "/keys", label: "Keys", key: "k" },
  { href: "/usage", label: "Usage", key: "u" },
  { href: "/audit", label: "Audit", key: "a" },
  { href: "/settings", label: "Settings", key: "s" },
];

/** Whether a link leads to the page in view or one above it. */
export function isCurrent(href: string, path: string): boolean {
  return href === "/" ? path === "/" : path === href || path.startsWith(`${href}/`);
}

/** The last few things opened from the palette, newest first. */
export interface RecentEntry {
  readonly label: string;
  readonly href: string;
}

const KEPT = 5;

export function withRecent(recent: readonly RecentEntry[], entry: RecentEntry): RecentEntry[] {
  return [entry, ...recent.filter((other) => other.href !== entry.href)].slice(0, KEPT);
}

/** Stored text as entries; anything malformed, or leading off this site, is dropped. */
export function parseRecent(text: string | null): RecentEntry[] {
  try {
    const parsed: unknown = JSON.parse(text ?? "[]");
    if (!Array.isArray(parsed)) return [];
    return parsed.filter(isEntry).slice(0, KEPT);
  } catch {
    return [];
  }
}

function isEntry(value: unknown): value is RecentEntry {
  if (typeof value !== "object" || value === null) return false;
  const { label, href } = value as Partial<RecentEntry>;
  return typeof label === "string" && typeof href === "string" && /^\/(?![/\\])/.test(href);
}

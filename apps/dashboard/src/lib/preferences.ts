/** What this browser remembers about how pages look and behave. Nothing here is a secret or leaves the browser. */
import { useSyncExternalStore } from "react";

export interface Preferences {
  readonly density: "comfortable" | "compact";
  readonly motion: "system" | "reduce";
  readonly clock: "local" | "utc";
  /** Multiplies every polling interval. */
  readonly refresh: 1 | 2 | 5;
  readonly hasShortcuts: boolean;
}

export const DEFAULT_PREFERENCES: Preferences = {
  density: "comfortable",
  motion: "system",
  clock: "local",
  refresh: 1,
  hasShortcuts: true,
};

const STORAGE_KEY = "obleth.preferences";

/** Runs before the first paint; the same two attributes are set by `writePreferences`. */
export const PREFERENCES_SCRIPT = `try{var p=JSON.parse(localStorage.getItem("${STORAGE_KEY}")||"{}"),d=document.documentElement;if(p.density==="compact")d.dataset.density="compact";if(p.motion==="reduce")d.dataset.motion="reduce"}catch(e){}`;

/** Reads stored text; anything malformed falls back to its default, one setting at a time. */
export function parsePreferences(text: string | null): Preferences {
  const stored = parseRecord(text);
  return {
    density: stored.density === "compact" ? "compact" : "comfortable",
    motion: stored.motion === "reduce" ? "reduce" : "system",
    clock: stored.clock === "utc" ? "utc" : "local",
    refresh: stored.refresh === 2 || stored.refresh === 5 ? stored.refresh : 1,
    hasShortcuts: stored.hasShortcuts !== false,
  };
}

let current: Preferences | null = null;
const listeners = new Set<() => void>();

export function usePreferences(): Preferences {
  return useSyncExternalStore(subscribe, readPreferences, () => DEFAULT_PREFERENCES);
}

export function readPreferences(): Preferences {
  current ??= parsePreferences(readStorage());
  return current;
}

export function writePreferences(change: Partial<Preferences>): void {
  current = { ...readPreferences(), ...change };
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify(current));
  } catch {
    // Private windows may refuse storage; the setting then lasts as long as the page.
  }
  applyToDocument(current);
  for (const listener of listeners) listener();
}

function applyToDocument(preferences: Preferences): void {
  const { dataset } = document.documentElement;
  if (preferences.density === "compact") dataset.density = "compact";
  else delete dataset.density;
  if (preferences.motion === "reduce") dataset.motion = "reduce";
  else delete dataset.motion;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function readStorage(): string | null {
  try {
    return localStorage.getItem(STORAGE_KEY);
  } catch {
    return null;
  }
}

function parseRecord(text: string | null): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(text ?? "{}");
    return typeof parsed === "object" && parsed !== null ? (parsed as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

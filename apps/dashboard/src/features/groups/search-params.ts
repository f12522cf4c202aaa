import { createParser, parseAsBoolean, parseAsString } from "nuqs";
import { parseSlots } from "../../lib/weight";

/** Draft weights as `chat:500,api:400`, names encoded; entries that are none are dropped. */
export const parseAsWeights = createParser({
  parse: parseWeights,
  serialize: (drafts: ReadonlyMap<string, string>) =>
    [...drafts].map(([name, weight]) => `${encodeURIComponent(name)}:${weight}`).join(","),
  eq: (a, b) => a.size === b.size && [...a].every(([name, weight]) => b.get(name) === weight),
});

/** A pool's size, of those that there can be. */
const parseAsSlots = createParser({
  parse: (text: string) => {
    const parsed = parseSlots(text);
    return "value" in parsed ? parsed.value : null;
  },
  serialize: String,
});

export const groupsParams = {
  pool: parseAsString.withOptions({ history: "replace" }),
  size: parseAsSlots.withOptions({ history: "replace" }),
  all: parseAsBoolean.withDefault(false).withOptions({ history: "replace" }),
  w: parseAsWeights.withDefault(new Map()).withOptions({ history: "replace", throttleMs: 200 }),
  steps: parseAsBoolean.withDefault(false).withOptions({ history: "replace" }),
};

function parseWeights(text: string): ReadonlyMap<string, string> | null {
  const drafts = new Map<string, string>();
  for (const entry of text.split(",")) {
    const at = entry.lastIndexOf(":");
    if (at < 1) continue;
    const name = decode(entry.slice(0, at));
    const weight = entry.slice(at + 1).trim();
    if (name !== null && weight !== "") drafts.set(name, weight);
  }
  return drafts;
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

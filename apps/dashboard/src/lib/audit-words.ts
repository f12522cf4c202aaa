/** Changes in words: what was done to what, and each field from what to what. */
import { formatDayTime, formatExact, MISSING, type Zone } from "./format";
import { readPreferences } from "./preferences";

export interface AuditFacts {
  readonly action: string;
  readonly object: { readonly type: string; readonly id: string; readonly name: string };
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
  readonly reverts: number | null;
}

export interface FieldChange {
  readonly field: string;
  readonly from: string;
  readonly to: string;
}

const OBJECT_WORDS: Readonly<Record<string, string>> = {
  model_cap: "cap of",
  capacity: "ceiling",
  session: "session",
};

const FIELD_WORDS: Readonly<Record<string, string>> = {
  max_in_flight: "cap",
  admission_weight: "admission weight",
  tokens_per_minute: "tokens per minute",
  budget_tokens: "token budget",
  budget_cost_usd: "cost budget",
  model_caps: "caps by model",
  session_affinity: "session affinity",
  capacity_mode: "capacity mode",
  global_max_in_flight: "ceiling",
  expires_at: "end",
};

/** Not worth a line of their own. */
const SILENT_FIELDS = new Set(["updated_at", "version", "created_at", "id"]);

/** The fields that changed, as text; times in a zone, or named as UTC while the reader's is not known (null). */
export function fieldChanges(row: AuditFacts, zone: Zone | null = readPreferences().clock): FieldChange[] {
  const [before, after] = [flat(row.before), flat(row.after)];
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names]
    .filter((name) => !SILENT_FIELDS.has(name) && !isInName(row.object.type, name))
    .map((name) => ({
      field: fieldWords(row.object.type, name),
      from: shown(before[name], zone),
      to: shown(after[name], zone),
    }))
    .filter((change) => change.from !== change.to);
}

/** Settings within a field as fields of their own: what changed is one of them, and a reader is told it in words. */
function flat(fields: AuditFacts["before"]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(fields ?? {}).flatMap(([name, value]) =>
      typeof value === "object" && value !== null && !Array.isArray(value)
        ? Object.entries(value).map(([part, of]) => [`${name} ${part}`, of] as const)
        : [[name, value] as const],
    ),
  );
}

/** A cap on one model is called after that model. */
function isInName(objectType: string, field: string): boolean {
  return objectType === "model_cap" && field === "model";
}

function fieldWords(objectType: string, name: string): string {
  if (objectType === "model" && name === "max_in_flight") return "pool size";
  return FIELD_WORDS[name] ?? name.replaceAll("_", " ");
}

/** "nightly: weight 50 to 120", "created key mobile", "ended boost of nightly". */
export function changeSentence(row: AuditFacts, zone: Zone | null = readPreferences().clock): string {
  const verb = row.action.split(".").at(-1) ?? row.action;
  const what = OBJECT_WORDS[row.object.type] ?? row.object.type;
  const changes = fieldChanges(row, zone);
  const [first] = changes;
  // A cap on one model is a field of its tenant, which has none before and after.
  const isField = row.object.type === "model_cap" || (row.before !== null && row.after !== null);
  if (isField && first !== undefined) {
    const more = changes.length > 1 ? ` and ${changes.length - 1} more` : "";
    return `${row.object.name}: ${first.field} ${first.from} to ${first.to}${more}`;
  }
  return `${pastOf(verb)} ${what} ${row.object.name}`;
}

function pastOf(verb: string): string {
  const irregular: Readonly<Record<string, string>> = {
    login: "signed in:",
    logout: "signed out:",
    set: "set",
    put: "set",
  };
  const spaced = verb.replaceAll("_", " ");
  return irregular[verb] ?? (spaced.endsWith("e") ? `${spaced}d` : spaced.endsWith("d") ? spaced : `${spaced}ed`);
}

const ISO_TIME = /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/;

function shown(value: unknown, zone: Zone | null): string {
  if (value === null || value === undefined) return MISSING;
  if (typeof value === "number") return formatExact(value);
  if (typeof value === "boolean") return value ? "on" : "off";
  if (typeof value === "string" && ISO_TIME.test(value)) {
    const time = formatDayTime(Date.parse(value), zone ?? "utc");
    return zone === null ? `${time} UTC` : time;
  }
  if (typeof value === "string") return value === "" ? MISSING : value;
  const text = JSON.stringify(value);
  return text === "{}" || text === "[]" ? MISSING : text;
}

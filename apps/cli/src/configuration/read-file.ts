/** Reads a configuration file: YAML or JSON, written by hand or by `obleth export`. */
import { readFileSync } from "node:fs";
import { CONFIG_FORMAT, refusedValue } from "@obleth/contract";
import { parseDocument } from "yaml";
import { z } from "zod";
import { usageError } from "../failure";
import type { Row } from "../resources/loose-client";

const named = z.looseObject({ name: z.string().min(1) });
const entryOfTenant = z.looseObject({ tenant: z.string().optional(), tenant_id: z.string().optional() });

/** The outline; the gateway judges the fields inside. */
const outline = z.strictObject({
  format: z.literal(CONFIG_FORMAT).optional(),
  exported_at: z.unknown().optional(),
  groups: z.array(named).default([]),
  models: z.array(named.extend({ endpoints: z.array(z.looseObject({})).optional() })).default([]),
  tenants: z.array(named).default([]),
  keys: z.array(named.extend(entryOfTenant.shape)).default([]),
  boosts: z.array(entryOfTenant.extend({ id: z.string().optional() })).default([]),
  global_max_in_flight: z.union([z.int(), z.null()]).optional(),
});

/** What a file says; everything left out is undefined or an empty list. */
export interface GivenConfiguration {
  readonly groups: readonly Row[];
  readonly models: readonly Row[];
  readonly tenants: readonly Row[];
  readonly keys: readonly Row[];
  readonly boosts: readonly Row[];
  readonly global_max_in_flight?: number | null | undefined;
}

/** `-` reads the standard input. */
export function readConfigurationFile(file: string): string {
  try {
    return readFileSync(file === "-" ? 0 : file, "utf8");
  } catch (error) {
    throw usageError(`Cannot read ${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Refuses what is not a configuration, naming every place. Aliases are bounded, so a small file stays small. */
export function parseConfiguration(text: string): GivenConfiguration {
  const document = parseDocument(text, { prettyErrors: true, uniqueKeys: true });
  const [problem] = document.errors;
  if (problem !== undefined) throw usageError(`The file is not YAML: ${problem.message.split("\n")[0]}`);
  let content: unknown;
  try {
    content = document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    throw usageError(`The file cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  const parsed = outline.safeParse(content ?? {});
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => {
      const checked = { schema: outline, value: content, part: "field" } as const;
      const { field, rule } = refusedValue(new z.ZodError([issue]), checked);
      return `${field === "" ? "the file" : field} ${rule}`;
    });
    throw usageError(`The file is not a configuration:\n${problems.join("\n")}`);
  }
  checkRepeats(parsed.data);
  return parsed.data;
}

function checkRepeats(file: GivenConfiguration): void {
  for (const kind of ["groups", "models", "tenants"] as const) {
    const seen = new Set<unknown>();
    for (const [index, { name }] of file[kind].entries()) {
      if (seen.has(name)) throw usageError(`${kind}.${index}: ${String(name)} is in the file twice.`);
      seen.add(name);
    }
  }
}

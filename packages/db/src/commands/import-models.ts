import type { Db } from "../client";
import { findModel } from "../queries/read-models";
import { type ChangeContext, type Changed, change } from "./change";
import { addModel } from "./create-model";
import type { NewEndpoint } from "./endpoint-fields";
import type { ModelFields } from "./model-fields";
import { Refusal } from "./refusal";
import { editModel } from "./update-model";

export interface ImportedModel {
  readonly fields: ModelFields;
  /** Undefined: leave the endpoints of a known model as they are; a new one gets none. */
  readonly endpoints: readonly NewEndpoint[] | undefined;
}

export interface ImportChange {
  readonly name: string;
  readonly action: "create" | "update" | "unchanged";
  /** What differs, in the API's names. */
  readonly fields: string[];
}

/**
 * Makes the named models what the file says; others are left alone. All or nothing: the field of a refusal begins with
 * the entry's place in the file. A credential that the file leaves out stays as it is stored.
 */
export function importModels(
  db: Db,
  context: ChangeContext,
  models: readonly ImportedModel[],
): Promise<Changed<ImportChange[]>> {
  return change(db, context, async (inside) => {
    const changes: ImportChange[] = [];
    const seen = new Set<string>();
    for (const [index, model] of models.entries()) {
      const { name } = model.fields;
      if (seen.has(name)) {
        throw new Refusal("invalid_request", `${name} is given twice.`, `models.${index}.name`);
      }
      seen.add(name);
      const fields: string[] = [];
      const watched = {
        ...inside,
        audit: (entry: Parameters<typeof inside.audit>[0]) => {
          fields.push(...Object.keys(entry.after ?? {}));
          inside.audit(entry);
        },
      };
      const present = await findModel(inside.tx, name);
      const isSame = present !== undefined && present.name === name;
      try {
        if (isSame) await editModel(watched, present, { patch: model.fields, endpoints: model.endpoints });
        else await addModel(watched, { fields: model.fields, endpoints: model.endpoints ?? [] });
      } catch (error) {
        throw placed(error, `models.${index}`);
      }
      const action = !isSame ? "create" : fields.length === 0 ? "unchanged" : "update";
      changes.push({ name, action, fields });
    }
    return changes;
  });
}

function placed(error: unknown, place: string): unknown {
  if (!(error instanceof Refusal)) return error;
  const field = error.field === undefined ? place : `${place}.${error.field}`;
  return new Refusal(error.code, error.message, field);
}

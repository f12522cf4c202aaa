import { eq } from "drizzle-orm";
import type { Db } from "../client";
import { findModel } from "../queries/read-models";
import { endpoints } from "../schema";
import { type ChangeContext, type Changed, change } from "./change";
import { endpointAudit } from "./endpoint-fields";
import { checkVersion, notFound } from "./refusal";
import type { EndpointTarget } from "./update-endpoint";

/** Removes an endpoint with its credentials. Requests under way at it go on; waiting ones choose among what is left. */
export function deleteEndpoint(db: Db, context: ChangeContext, target: EndpointTarget): Promise<Changed<undefined>> {
  return change(db, context, async (inside) => {
    const model = await findModel(inside.tx, target.model);
    const row = model?.endpoints.find((one) => one.id === target.endpointId);
    if (model === undefined || row === undefined) throw notFound("endpoint of this model");
    checkVersion(row, target.expectedVersion);
    await inside.tx.delete(endpoints).where(eq(endpoints.id, row.id));
    inside.audit({
      action: "endpoint.delete",
      type: "endpoint",
      id: row.id,
      name: `${row.name} of ${model.name}`,
      before: endpointAudit(row),
      after: null,
    });
    inside.touch({ kind: "model", id: model.id });
    return undefined;
  });
}

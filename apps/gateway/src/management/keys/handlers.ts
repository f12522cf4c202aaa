import type { PreviewChange } from "@obleth/contract";
import {
  createKey,
  deleteKey,
  endPreviousSecret,
  findKey,
  findTenant,
  type KeyPatch,
  listKeys,
  newSecret,
  notFound,
  type Repeatable,
  readTogether,
  rotateKey,
  toRow,
  updateKey,
} from "@obleth/db";
import type { ManagementDeps } from "../deps";
import { writtenReply } from "../fairshare/dry-run";
import { answer, type Call, type Handlers, type Reply } from "../http/call";
import { Fault } from "../http/fault";
import { keyJson } from "./to-json";

type KeyRoute =
  | "listTenantKeys"
  | "createKey"
  | "listKeys"
  | "getKey"
  | "updateKey"
  | "deleteKey"
  | "rotateKey"
  | "endPreviousSecret";

export function keyHandlers(deps: ManagementDeps): Pick<Handlers, KeyRoute> {
  const { db } = deps;
  const list = async (query: Call<"listKeys">["query"]): Promise<Reply> => {
    const { tenant_id: tenantId, unused_days: unusedDays, ...rest } = query;
    const page = await readTogether(db, (tx) =>
      listKeys(tx, { ...rest, tenantId, unusedDays, nowMs: deps.clock.wallMs() }),
    );
    const items = await Promise.all(page.items.map((row) => keyJson(deps, row)));
    return answer("listKeys", { items, next_cursor: page.nextCursor, total: page.total });
  };

  return {
    listKeys: ({ query }) => list(query),
    listTenantKeys: async ({ params, query }) => {
      if ((await findTenant(db, params.id)) === undefined) throw notFound("tenant");
      return list({ ...query, tenant_id: params.id });
    },
    createKey: async (call) => {
      const { params, body, context } = call;
      const { secret, prefix } = newSecret();
      const stored = { hash: deps.hashSecret(secret), prefix };
      const repeatable = repeatableOf(deps, call, secret);
      const changed = await createKey(db, context, {
        tenantId: params.id,
        fields: toRow(body),
        secret: stored,
        repeatable,
      });
      const { key, repeatedAnswer } = changed.value;
      const shown = repeatedAnswer === null ? secret : deps.sealer.open(repeatedAnswer, "idempotency");
      const reply = answer("createKey", { key: await keyJson(deps, key), secret: shown }, key.version);
      return writtenReply({ deps, context, changed }, reply);
    },
    getKey: async ({ params }) => {
      const row = await findKey(db, params.id);
      if (row === undefined) throw notFound("key");
      return answer("getKey", await keyJson(deps, row), row.version);
    },
    updateKey: async ({ params, body, context, expectedVersion }) => {
      const patch = toRow(body);
      const changed = await updateKey(db, context, { id: params.id, expectedVersion, patch });
      const reply = answer("updateKey", await keyJson(deps, changed.value), changed.value.version);
      return writtenReply({ deps, context, changed, moves: movesOf(params.id, patch) }, reply);
    },
    deleteKey: async ({ params, context, expectedVersion }) => {
      const changed = await deleteKey(db, context, { id: params.id, expectedVersion });
      return writtenReply({ deps, context, changed }, {});
    },
    rotateKey: async ({ params, body, context, expectedVersion }) => {
      const { secret, prefix } = newSecret();
      const rotation = { id: params.id, expectedVersion, overlapMs: body.overlap_secs * 1000 };
      const stored = { hash: deps.hashSecret(secret), prefix };
      const changed = await rotateKey(db, context, { ...rotation, secret: stored });
      const key = await keyJson(deps, changed.value);
      return writtenReply({ deps, context, changed }, answer("rotateKey", { key, secret }, changed.value.version));
    },
    endPreviousSecret: async ({ params, context, expectedVersion }) => {
      const changed = await endPreviousSecret(db, context, { id: params.id, expectedVersion });
      const reply = answer("endPreviousSecret", await keyJson(deps, changed.value), changed.value.version);
      return writtenReply({ deps, context, changed }, reply);
    },
  };
}

/** With an `Idempotency-Key` the secret is kept sealed for a day, so that a retry can be given the same answer. */
function repeatableOf(deps: ManagementDeps, call: Call<"createKey">, secret: string): Repeatable | undefined {
  const key = call.request.headers.get("idempotency-key");
  if (key === null) return undefined;
  if (!/^[\x21-\x7e]{1,200}$/.test(key)) {
    throw new Fault("invalid_request", "Idempotency-Key must be 1 to 200 printable characters.", {
      field: "idempotency-key",
    });
  }
  return {
    scope: `createKey ${call.context.actor}`,
    key,
    body: JSON.stringify([call.params.id, call.body]),
    answerSealed: deps.sealer.seal(secret, "idempotency"),
  };
}

function movesOf(id: string, patch: KeyPatch): PreviewChange[] {
  const moves: PreviewChange[] = [];
  if (patch.weight !== undefined) moves.push({ kind: "key_weight", id, value: patch.weight });
  if (patch.maxInFlight !== undefined) moves.push({ kind: "key_cap", id, value: patch.maxInFlight });
  return moves;
}

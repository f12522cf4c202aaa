/**
 * The configuration may have changed while a request waited for its slot. What the caller may and where the model is
 * served count as they are when the slot is granted; the place in the queue and its charge stay as they were.
 */
import type { IncomingMessage } from "node:http";
import type { Refusal } from "../../error-response";
import type { KeyRecord, ModelRecord } from "../../policy-cache/records";
import type { EditedBytes } from "../body/edited-bytes";
import type { CallFields } from "../body/scan-call";
import type { CallRoute } from "../routes";
import type { Tokenizers } from "../tokenizers";
import { modelRefusal } from "./check-access";
import { hasServer, type ModelFinder, noServer } from "./find-model";
import { type SessionSettings, type UnderstoodCall, understandCall } from "./understand-call";

export interface WaitedCall {
  readonly req: IncomingMessage;
  readonly route: CallRoute;
  readonly body: EditedBytes;
  readonly fields: CallFields;
  readonly model: ModelRecord;
  readonly isRouted: boolean;
  readonly chat: UnderstoodCall["chat"];
}

export interface PresentCall extends Pick<UnderstoodCall, "fields" | "chat"> {
  readonly model: ModelRecord;
}

/** What the call goes on with, or why it may not go on. `key` is its caller as known and let in at this moment. */
export function lookAgain(
  call: WaitedCall,
  key: KeyRecord,
  parts: { models: ModelFinder; tokenizers: Tokenizers; settings: SessionSettings },
): PresentCall | { readonly refusal: Refusal } {
  const { route } = call;
  const found = call.isRouted ? parts.models.again(call.model) : call;
  if ("refusal" in found) return found;
  const { model } = found;
  const refusal = modelRefusal(model, key.tenant) ?? (hasServer(model, route) ? null : noServer(model, route));
  if (refusal !== null) return { refusal };
  if (model === call.model) return { model, fields: call.fields, chat: call.chat };
  const understood = understandCall({ ...call, body: call.body.original, model }, parts);
  return "refusal" in understood ? understood : { model, fields: understood.fields, chat: understood.chat };
}

/** What a call means for the model it names: what it is taken to cost, whose session it is, and what its server is sent. */
import type { IncomingMessage } from "node:http";
import type { Refusal } from "../../error-response";
import type { ModelRecord } from "../../policy-cache/records";
import { type CallFields, type ScanResult, scanCall } from "../body/scan-call";
import { scanForm } from "../body/scan-form";
import type { ProxySettings } from "../proxy-deps";
import type { SessionChoice } from "../proxy-request";
import type { CallRoute } from "../routes";
import { estimateTokens } from "../token-estimate";
import type { Tokenizers } from "../tokenizers";
import { type ChatRequest, chatRequestOf } from "../translate/chat-request";
import { speaks } from "./find-model";
import { resolveSession } from "./resolve-session";

export interface ReceivedCall {
  readonly req: IncomingMessage;
  readonly route: CallRoute;
  readonly body: Buffer;
}

export interface UnderstoodCall {
  readonly fields: CallFields;
  readonly estimatedTokens: number;
  readonly session: SessionChoice;
  /** The chat form of an Anthropic request, where an endpoint may need it. */
  readonly chat: Extract<ChatRequest, { kind: "chat" }> | null;
}

export type SessionSettings = Pick<ProxySettings, "deriveSessionIds" | "sessionSecret">;

/** The fields of a call's body, with text counted by characters. */
export function scanBody({ req, route, body }: ReceivedCall, { deriveSessionIds }: SessionSettings): ScanResult {
  if (route.body === "form") return scanForm(body, req.headers["content-type"] ?? "");
  return scanCall(body, { wantsSessionText: deriveSessionIds });
}

export function understandCall(
  call: ReceivedCall & { readonly fields: CallFields; readonly model: ModelRecord },
  { tokenizers, settings }: { tokenizers: Tokenizers; settings: SessionSettings },
): UnderstoodCall | { readonly refusal: Refusal } {
  const { req, route, body, model } = call;
  const chat = route.protocol === "anthropic" && speaks(model, "openai") ? chatRequestOf(body) : null;
  if (chat?.kind === "invalid" && !speaks(model, "anthropic")) {
    return { refusal: { code: "invalid_request", message: chat.message, param: chat.param } };
  }
  const fields = recounted(call, tokenizers, settings);
  const { inputTokens, outputLimit } = fields;
  return {
    fields,
    estimatedTokens: estimateTokens({ inputTokens, outputLimit, generates: route.generates }),
    session: resolveSession({ req, body, fields }, settings.deriveSessionIds ? settings.sessionSecret : null),
    chat: chat?.kind === "chat" ? chat : null,
  };
}

/** The text counted again by the model's own tokenizer, when it names one that is loaded. */
function recounted(
  { body, fields, model, route }: { body: Buffer; fields: CallFields; model: ModelRecord; route: CallRoute },
  tokenizers: Tokenizers,
  settings: SessionSettings,
): CallFields {
  if (model.tokenizer === null || route.body === "form") return fields;
  const countPiece = tokenizers.counterFor(model.tokenizer);
  if (countPiece === null) return fields;
  const scan = scanCall(body, { countPiece, wantsSessionText: settings.deriveSessionIds });
  return scan.kind === "call" ? scan.fields : fields;
}

/** An endpoint as it is typed. */
import { MAX_PRIORITY } from "@obleth/contract/bounds";
import { errorOf, numberOf, parseOptional, parseSlots, parseWeight, parseWhole } from "../../../lib/weight";

export interface EndpointDraft {
  readonly name: string;
  readonly apiBase: string;
  readonly apiKey: string;
  readonly protocol: "openai" | "anthropic";
  readonly upstream: string;
  readonly weight: string;
  readonly priority: string;
  readonly cap: string;
}

interface EndpointFacts {
  readonly name: string;
  readonly api_base: string;
  readonly protocol: EndpointDraft["protocol"];
  readonly upstream_model: string | null;
  readonly weight: number;
  readonly priority: number;
  readonly max_in_flight: number | null;
}

export function endpointDraft(endpoint: EndpointFacts | null): EndpointDraft {
  return {
    name: endpoint?.name ?? "",
    apiBase: endpoint?.api_base ?? "",
    apiKey: "",
    protocol: endpoint?.protocol ?? "openai",
    upstream: endpoint?.upstream_model ?? "",
    weight: String(endpoint?.weight ?? 1),
    priority: String(endpoint?.priority ?? 0),
    cap: endpoint?.max_in_flight?.toString() ?? "",
  };
}

/** What is typed, read. */
function read(draft: EndpointDraft) {
  return {
    weight: parseWeight(draft.weight),
    priority: parseWhole(draft.priority, { what: "A priority", min: 0, max: MAX_PRIORITY }),
    cap: parseOptional(draft.cap, parseSlots),
  };
}

export function endpointErrors(draft: EndpointDraft) {
  const { weight, priority, cap } = read(draft);
  return { weight: errorOf(weight), priority: errorOf(priority), cap: errorOf(cap) };
}

/** A draft without errors as the API takes it, with the fields that are wanted. */
export function endpointBody(draft: EndpointDraft, isWanted: (field: keyof EndpointDraft) => boolean) {
  const optional = (text: string) => (text.trim() === "" ? null : text.trim());
  const { weight, priority, cap } = read(draft);
  return {
    ...(isWanted("apiBase") ? { api_base: draft.apiBase.trim() } : {}),
    ...(isWanted("protocol") ? { protocol: draft.protocol } : {}),
    ...(isWanted("upstream") ? { upstream_model: optional(draft.upstream) } : {}),
    ...(isWanted("weight") ? { weight: numberOf(weight) } : {}),
    ...(isWanted("priority") ? { priority: numberOf(priority) } : {}),
    ...(isWanted("cap") ? { max_in_flight: numberOf(cap) } : {}),
    ...(isWanted("name") && draft.name.trim() !== "" ? { name: draft.name.trim() } : {}),
    ...(draft.apiKey === "" ? {} : { api_key: draft.apiKey }),
  };
}

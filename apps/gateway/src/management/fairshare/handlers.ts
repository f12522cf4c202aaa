import { findModelName } from "@obleth/db";
import type { LiveAnswer, ManagementDeps } from "../deps";
import { answer, type Handlers, type Reply } from "../http/call";
import { explain } from "./explain";
import { previewOf } from "./preview";

type FairshareRoute = "getFairshareLive" | "getFairshareHistory" | "explainFairshare" | "previewFairshare";

export function fairshareHandlers(deps: ManagementDeps): Pick<Handlers, FairshareRoute> {
  return {
    getFairshareLive: ({ query, request }) => liveReply(deps.live(query), request),
    getFairshareHistory: async ({ query }) => {
      const named = query.model === undefined ? undefined : await findModelName(deps.db, query.model);
      return answer("getFairshareHistory", deps.history(named === undefined ? query : { ...query, model: named.name }));
    },
    explainFairshare: async ({ query }) => answer("explainFairshare", await explain(deps, query)),
    previewFairshare: async ({ body }) => answer("previewFairshare", await previewOf(deps, body)),
  };
}

/** The body was made and compressed when the state was; a poller that has it gets 304. */
function liveReply(live: LiveAnswer, request: Request): Reply {
  const headers = new Headers({ etag: live.etag, "cache-control": "no-cache", vary: "accept-encoding, authorization" });
  if (matches(request.headers.get("if-none-match"), live.etag)) {
    return { response: new Response(null, { status: 304, headers }) };
  }
  headers.set("content-type", "application/json");
  if (!takesGzip(request.headers.get("accept-encoding"))) return { response: new Response(live.json(), { headers }) };
  headers.set("content-encoding", "gzip");
  return { response: new Response(live.gzip(), { headers }) };
}

function matches(header: string | null, etag: string): boolean {
  if (header === null) return false;
  const tags = header.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return tags.includes("*") || tags.includes(etag);
}

function takesGzip(header: string | null): boolean {
  const gzip = (header ?? "").split(",").find((part) => /^\s*(gzip|\*)\s*(;|$)/.test(part));
  return gzip !== undefined && !/;\s*q=0(\.0*)?\s*$/.test(gzip);
}

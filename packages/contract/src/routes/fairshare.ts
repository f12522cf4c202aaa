/** Who runs, who waits, why, and what a change would do. */
import { explainAnswer, explainQuery } from "../fairshare-explain";
import { fairshareHistory, historyQuery } from "../fairshare-history";
import { fairshareLive, liveQuery } from "../fairshare-live";
import { previewAnswer, previewBody } from "../fairshare-preview";
import { type RouteTable, read } from "../route-spec";

export const fairshareRoutes = {
  getFairshareLive: {
    tag: "Fairshare",
    summary: "Who runs and who waits",
    ...read,
    query: liveQuery,
    response: fairshareLive,
    etag: true,
  },
  getFairshareHistory: {
    tag: "Fairshare",
    summary: "Samples of the last hour",
    ...read,
    query: historyQuery,
    response: fairshareHistory,
  },
  explainFairshare: {
    tag: "Fairshare",
    summary: "Why a tenant waits",
    ...read,
    query: explainQuery,
    response: explainAnswer,
    errors: ["not_found"],
  },
  previewFairshare: {
    tag: "Fairshare",
    summary: "What a change would do; writes nothing",
    ...read,
    body: previewBody,
    response: previewAnswer,
    errors: ["not_found"],
  },
} as const satisfies RouteTable;

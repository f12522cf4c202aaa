/** What was used. */

import { type RouteTable, read } from "../route-spec";
import {
  usageExportQuery,
  usageRequests,
  usageRequestsQuery,
  usageSeries,
  usageSeriesQuery,
  usageSummary,
  usageSummaryQuery,
} from "../usage";

export const usageRoutes = {
  getUsageSummary: {
    tag: "Usage",
    summary: "Figures by tenant, key, model, group, admission or outcome",
    ...read,
    query: usageSummaryQuery,
    response: usageSummary,
  },
  getUsageSeries: {
    tag: "Usage",
    summary: "Figures over time",
    ...read,
    query: usageSeriesQuery,
    response: usageSeries,
  },
  listUsageRequests: {
    tag: "Usage",
    summary: "Single requests, newest first",
    ...read,
    query: usageRequestsQuery,
    response: usageRequests,
  },
  exportUsage: {
    tag: "Usage",
    summary: "Single requests as CSV",
    ...read,
    query: usageExportQuery,
    contentType: "text/csv",
  },
} as const satisfies RouteTable;

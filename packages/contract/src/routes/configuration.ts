/** The whole configuration as a file. */
import { importQuery, importResult } from "../models";
import { type RouteTable, read } from "../route-spec";
import { configFile } from "../system";

export const configurationRoutes = {
  exportConfig: {
    tag: "Configuration",
    summary: "Everything configured, with hashes and sealed secrets",
    ...read,
    role: "admin",
    response: configFile,
    etag: true,
  },
  importConfig: {
    tag: "Configuration",
    summary: "Make the configuration what a file says, all or nothing",
    ...read,
    role: "admin",
    query: importQuery,
    body: configFile,
    response: importResult,
    etag: true,
    errors: ["already_exists", "stale_edit"],
  },
} as const satisfies RouteTable;

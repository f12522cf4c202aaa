/** Is the gateway up, and which build is it. */

import type { RouteTable } from "../route-spec";
import { health, versionInfo } from "../system";

export const systemRoutes = {
  getHealth: {
    tag: "System",
    summary: "Is this gateway up",
    role: "public",
    status: 200,
    response: health,
    errors: [],
  },
  getVersion: {
    tag: "System",
    summary: "Which build this is",
    role: "public",
    status: 200,
    response: versionInfo,
    errors: [],
  },
} as const satisfies RouteTable;

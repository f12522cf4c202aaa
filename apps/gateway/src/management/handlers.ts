/** Every route's handler. The type makes the compiler refuse a table with one missing. */
import { auditHandlers } from "./audit/handlers";
import { authHandlers } from "./auth/handlers";
import { boostHandlers } from "./boosts/handlers";
import { capacityHandlers } from "./capacity/handlers";
import { clusterHandlers } from "./cluster/handlers";
import { configHandlers } from "./config/handlers";
import type { ManagementDeps } from "./deps";
import { endpointHandlers } from "./endpoints/handlers";
import { fairshareHandlers } from "./fairshare/handlers";
import { groupHandlers } from "./groups/handlers";
import type { Handlers } from "./http/call";
import { keyHandlers } from "./keys/handlers";
import { modelHandlers } from "./models/handlers";
import { transferHandlers } from "./models/transfer-handlers";
import { overviewHandlers } from "./overview/handlers";
import { systemHandlers } from "./system/handlers";
import { tenantHandlers } from "./tenants/handlers";
import { usageHandlers } from "./usage/handlers";
import { userHandlers } from "./users/handlers";

export function allHandlers(deps: ManagementDeps): Handlers {
  return {
    ...systemHandlers(deps),
    ...authHandlers(deps),
    ...fairshareHandlers(deps),
    ...groupHandlers(deps),
    ...tenantHandlers(deps),
    ...keyHandlers(deps),
    ...modelHandlers(deps),
    ...transferHandlers(deps),
    ...endpointHandlers(deps),
    ...boostHandlers(deps),
    ...capacityHandlers(deps),
    ...usageHandlers(deps),
    ...overviewHandlers(deps),
    ...clusterHandlers(deps),
    ...auditHandlers(deps),
    ...userHandlers(deps),
    ...configHandlers(deps),
  };
}

import { isFirstRun } from "@obleth/db";
import type { ManagementDeps } from "../deps";
import { answer, type Handlers } from "../http/call";

export function systemHandlers(deps: ManagementDeps): Pick<Handlers, "getHealth" | "getVersion" | "getAuthState"> {
  const { build } = deps;
  return {
    getHealth: () => answer("getHealth", { status: deps.isDraining() ? "draining" : "ok" }),
    getVersion: () => answer("getVersion", { name: "obleth", version: build.version, commit: build.commit }),
    getAuthState: async () =>
      answer("getAuthState", {
        first_run: await isFirstRun(deps.db),
        environment_label: deps.settings.environmentLabel ?? null,
        version: build.version,
      }),
  };
}

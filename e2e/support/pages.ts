/**
 * Addresses of the pages behind the sign-in, as the dashboard's own folders name them: whatever walks pages walks a new
 * one as well.
 */
import { readdirSync } from "node:fs";
import path from "node:path";
import { ROOT } from "./stack";

const FOLDER = path.join(ROOT, "apps/dashboard/src/app/(console)");
/** Tabs that have a form or a table of their own; the first of a page is what it opens with. */
const TABS: Readonly<Record<string, readonly string[]>> = {
  "/settings": ["cluster", "gateway", "people", "appearance"],
  "/models/[id]": ["overview", "capacity", "endpoints", "settings"],
  "/tenants/[id]": ["overview", "limits", "keys"],
};

const ROUTES = readdirSync(FOLDER, { recursive: true, encoding: "utf8" })
  .filter((file) => path.basename(file) === "page.tsx")
  .map((file) => path.posix.join("/", path.dirname(file)))
  .sort();

/** Pages of no object in particular, each tab by itself. */
export const LIST_PAGES = ROUTES.filter((route) => !route.includes("[")).flatMap(withTabs);

/** Every page, those of one object for the model and the tenant given. */
export function pagesOf(objects: { readonly model: string; readonly tenantId: string }): string[] {
  return ROUTES.flatMap(withTabs).map((address) =>
    address
      .replace("/models/[id]", `/models/${encodeURIComponent(objects.model)}`)
      .replace("/tenants/[id]", `/tenants/${encodeURIComponent(objects.tenantId)}`),
  );
}

/** Every page, for objects that there are none of. */
export const PAGES = pagesOf({ model: "x", tenantId: "x" });

function withTabs(route: string): string[] {
  const [, ...others] = TABS[route] ?? [];
  return [route, ...others.map((tab) => `${route}?tab=${tab}`)];
}

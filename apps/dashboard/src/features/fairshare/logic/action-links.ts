/** Where the page does what an explanation suggests. */

interface SuggestedAction {
  readonly id: string;
  /** Of the management route that would do it, below `/api/v1`; null when none would. */
  readonly path: string | null;
}

interface Where {
  readonly pool: string;
  readonly tenantId: string;
}

/** The page for an action; null when it happens outside the gateway. */
export function actionHref(action: SuggestedAction, where: Where): string | null {
  const pool = encodeURIComponent(where.pool);
  const tenant = encodeURIComponent(where.tenantId);
  const panel = (id: string) => `/fairshare?pool=${pool}&tenant=${encodeURIComponent(id)}`;
  switch (action.id) {
    case "open_budgets":
      return `/tenants/${tenant}?tab=limits`;
    case "open_usage":
      return `/usage?tenant=${tenant}`;
    case "open_endpoints":
      return `/models/${pool}?tab=endpoints`;
    case "change_tenant_cap":
      return `/tenants/${tenant}?tab=limits`;
    case "change_model_cap":
    case "raise_weight":
      return panel(where.tenantId);
    case "boost_tenant":
      return `/boosts?new=true&tenant=${tenant}&model=${pool}`;
    case "cap_holder":
      return panel(tenantInPath(action.path) ?? where.tenantId);
    case "raise_key_cap":
      return `/keys?key=${encodeURIComponent(idAfter(action.path, "keys") ?? "")}`;
    case "raise_ceiling":
    case "open_cluster":
    case "see_traffic":
      return "/settings?tab=cluster";
    case "shorten_hold":
    case "lower_held_percent":
    case "grow_pool":
      return `/models/${pool}?tab=capacity`;
    case "see_holders":
      return `/fairshare?pool=${pool}`;
    default:
      return null;
  }
}

function tenantInPath(path: string | null): string | null {
  return idAfter(path, "tenants");
}

function idAfter(path: string | null, segment: string): string | null {
  const parts = path?.split("?")[0]?.split("/") ?? [];
  const at = parts.indexOf(segment);
  const id = at === -1 ? undefined : parts[at + 1];
  return id ? decodeURIComponent(id) : null;
}

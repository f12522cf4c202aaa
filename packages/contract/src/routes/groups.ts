/** Groups. */
import { page } from "../common";
import { group, groupCreate, groupPatch, groupQuery, groupWeights, groupWeightsResult } from "../groups";
import { byName, create, type RouteTable, read, readOne, remove, update, updateMany } from "../route-spec";

export const groupRoutes = {
  listGroups: { tag: "Groups", summary: "List groups", ...read, query: groupQuery, response: page(group) },
  createGroup: { tag: "Groups", summary: "Create a group", ...create, body: groupCreate, response: group, etag: true },
  setGroupWeights: {
    tag: "Groups",
    summary: "Change several weights at once, all or none",
    ...updateMany,
    body: groupWeights,
    response: groupWeightsResult,
  },
  getGroup: { tag: "Groups", summary: "Read a group", ...readOne, params: byName, response: group },
  updateGroup: {
    tag: "Groups",
    summary: "Change a group",
    ...update,
    params: byName,
    body: groupPatch,
    response: group,
    errors: ["not_found", "already_exists", "stale_edit", "conflict"],
  },
  deleteGroup: {
    tag: "Groups",
    summary: "Delete an empty group",
    ...remove,
    params: byName,
    errors: ["not_found", "stale_edit", "group_not_empty", "conflict"],
  },
} as const satisfies RouteTable;

import type { Group, PreviewChange } from "@obleth/contract";
import {
  createGroup,
  deleteGroup,
  findGroup,
  type GroupRow,
  listGroups,
  notFound,
  readTogether,
  setGroupWeights,
  toJson,
  updateGroup,
} from "@obleth/db";
import type { ManagementDeps } from "../deps";
import { writtenReply } from "../fairshare/dry-run";
import { answer, type Handlers } from "../http/call";

type GroupRoute = "listGroups" | "createGroup" | "setGroupWeights" | "getGroup" | "updateGroup" | "deleteGroup";

export function groupHandlers(deps: ManagementDeps): Pick<Handlers, GroupRoute> {
  const { db } = deps;
  return {
    listGroups: async ({ query }) => {
      const page = await readTogether(db, (tx) => listGroups(tx, query));
      return answer("listGroups", {
        items: page.items.map(groupJson),
        next_cursor: page.nextCursor,
        total: page.total,
      });
    },
    createGroup: async ({ body, context }) => {
      const changed = await createGroup(db, context, body);
      return writtenReply(
        { deps, context, changed },
        answer("createGroup", groupJson(changed.value), changed.value.version),
      );
    },
    setGroupWeights: async ({ body, context }) => {
      const versions = new Map(Object.entries(body.versions ?? {}));
      const weights = Object.entries(body.weights).map(([name, weight]) => ({
        name,
        weight,
        expectedVersion: versions.get(name),
      }));
      const changed = await setGroupWeights(db, context, weights);
      const moves = weights.map(({ name, weight }) => weightChange(name, weight));
      const reply = answer("setGroupWeights", { groups: changed.value.map(groupJson) });
      return writtenReply({ deps, context, changed, moves }, reply);
    },
    getGroup: async ({ params }) => {
      const row = await findGroup(db, params.name);
      if (row === undefined) throw notFound("group");
      return answer("getGroup", groupJson(row), row.version);
    },
    updateGroup: async ({ params, body, context, expectedVersion }) => {
      const changed = await updateGroup(db, context, { name: params.name, expectedVersion, patch: body });
      const reply = answer("updateGroup", groupJson(changed.value), changed.value.version);
      const moves = body.weight === undefined ? [] : [weightChange(params.name, body.weight)];
      return writtenReply({ deps, context, changed, moves }, reply);
    },
    deleteGroup: async ({ params, context, expectedVersion }) => {
      const changed = await deleteGroup(db, context, { name: params.name, expectedVersion });
      return writtenReply({ deps, context, changed }, {});
    },
  };
}

export function groupJson(row: GroupRow): Group {
  const { id: _id, ...group } = row;
  return toJson(group);
}

const weightChange = (id: string, value: number): PreviewChange => ({ kind: "group_weight", id, value });

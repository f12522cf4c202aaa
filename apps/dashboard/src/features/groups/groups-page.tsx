"use client";

import { previewChanges } from "@obleth/fairshare/preview";
import { useQuery } from "@tanstack/react-query";
import { useQueryStates } from "nuqs";
import { type ReactNode, useMemo } from "react";
import { AppliedNote } from "../../components/change/applied-note";
import { ConflictNote } from "../../components/change/conflict-note";
import { SaveBar } from "../../components/change/save-bar";
import { PageHeader } from "../../components/layout/page-header";
import { Failure } from "../../components/ui/failure";
import { Notice } from "../../components/ui/notice";
import { Panel } from "../../components/ui/panel";
import { SkeletonRows } from "../../components/ui/skeleton";
import { cn } from "../../lib/cn";
import { plural } from "../../lib/format";
import { groupColors } from "../../lib/group-colors";
import { previewInput } from "../../lib/preview-input";
import { type PreviewRow, rowsOfPreview } from "../../lib/preview-rows";
import { saveTier } from "../../lib/save-tier";
import { groupsQuery } from "../../queries/objects";
import { useLiveSummary } from "../../queries/use-live";
import { useServerPreview } from "../../queries/use-server-preview";
import type { Group, Live } from "../../queries/wire";
import { GroupsTable } from "./groups-table";
import { changedWeights, draftedWeight, type GroupRow, groupRows } from "./logic/group-rows";
import { NewGroup } from "./new-group";
import { PoolChoice } from "./pool-choice";
import { PoolPreviews } from "./pool-previews";
import { RoundingSteps } from "./rounding-drawer";
import { groupsParams } from "./search-params";
import { TrialBar } from "./trial-bar";
import { useGroupSave } from "./use-group-save";

const DEFAULT_TRIAL = 20;

/** How a full pool splits between groups, and what other weights would change. */
export function GroupsPage() {
  const { data, error, refetch } = useQuery(groupsQuery());
  const live = useLiveSummary()?.live;
  const groups = data?.items;
  return (
    <>
      <PageHeader
        title="Groups & weights"
        answer={groups && live ? answerOf(groups, live) : ""}
        actions={<NewGroup />}
      />
      {error && !data ? <Failure what="Cannot read the groups" error={error} onRetry={() => void refetch()} /> : null}
      {live?.algorithm === "weighted" ? (
        <Notice className="mb-4">Groups are not used: this installation orders tenants by weight directly.</Notice>
      ) : null}
      {groups && live ? (
        <GroupsEditor groups={groups} live={live} />
      ) : error ? null : (
        <SkeletonRows rows={6} label="Reading the groups" />
      )}
    </>
  );
}

function GroupsEditor({ groups, live }: Readonly<{ groups: readonly Group[]; live: Live }>) {
  const [params, setParams] = useQueryStates(groupsParams);
  const size = params.size ?? live.pools.find((pool) => pool.model === params.pool)?.cap ?? DEFAULT_TRIAL;
  const rows = useMemo(
    () => groupRows({ groups, live: live.groups, drafts: params.w, size, isEveryone: params.all }),
    [groups, live.groups, params.w, size, params.all],
  );
  const weights = useMemo(() => changedWeights(rows), [rows]);
  const previews = usePoolPreviews(live, weights, params.pool);
  const onDrafts = (drafts: ReadonlyMap<string, string>) => void setParams({ w: drafts.size === 0 ? null : drafts });
  const save = useGroupSave({ groups, rows, drafts: params.w, onDrafts });
  const hasDraft = rows.some((row) => row.isChanged);
  const onDraft = (name: string, weight: string) => {
    const drafts = new Map(params.w);
    if (weight === String(groups.find((group) => group.name === name)?.weight)) drafts.delete(name);
    else drafts.set(name, weight);
    onDrafts(drafts);
  };
  const colors = useMemo(() => groupColors(groups), [groups]);
  const taking = rows.filter((row) => row.after !== null);
  return (
    <>
      <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <Panel
          title="Groups"
          bodyClassName="p-0"
          actions={
            <TrialBar
              size={size}
              onSize={(next) => void setParams({ size: next })}
              isEveryone={params.all}
              onEveryone={(all) => void setParams({ all: all || null })}
              isOpen={params.steps}
              onOpen={(steps) => void setParams({ steps: steps || null })}
            />
          }
        >
          <GroupsTable rows={rows} colors={colors} onDraft={onDraft} />
          {params.steps ? (
            <RoundingSteps size={size} groups={taking.map((row) => ({ name: row.name, weight: draftedWeight(row) }))} />
          ) : null}
        </Panel>
        <Panel
          title="Preview by pool"
          bodyClassName="p-0"
          actions={
            <PoolChoice
              pools={live.pools.map((pool) => pool.model)}
              value={params.pool}
              onValue={(pool) => void setParams({ pool })}
            />
          }
        >
          <PoolPreviews rows={previews} colors={colors} hasDraft={hasDraft} />
        </Panel>
      </div>
      <StickyBar rows={rows} previews={previews} hasDraft={hasDraft}>
        {save.conflicts.map((name) => (
          <ConflictNote
            key={name}
            objectId={name}
            onKeepTheirs={() => save.keepTheirs(name)}
            onApplyMine={() => save.applyMine(name)}
          />
        ))}
        {save.problem ? (
          <p role="alert" className="text-small text-urgent">
            Nothing was changed. {save.problem}
          </p>
        ) : null}
        <SaveBar
          isDirty={hasDraft}
          isBlocked={rows.some((row) => row.error !== null)}
          isSaving={save.isPending}
          tier={saveTier(previews)}
          onSave={save.save}
          onDiscard={() => onDrafts(new Map())}
        >
          <AppliedNote configVersion={save.configVersion} />
        </SaveBar>
      </StickyBar>
    </>
  );
}

interface StickyBarProps {
  rows: readonly GroupRow[];
  previews: readonly PreviewRow[];
  hasDraft: boolean;
  children: ReactNode;
}

function StickyBar({ rows, previews, hasDraft, children }: Readonly<StickyBarProps>) {
  const changes = rows.filter((row) => row.isChanged).length;
  const moving = previews.filter((row) => row.moved > 0);
  const moved = moving.reduce((sum, row) => sum + row.moved, 0);
  const movement =
    moved === 0 ? "no slot moves" : `${plural(moved, "slot moves", "slots move")} in ${plural(moving.length, "pool")}`;
  const words = hasDraft ? `${plural(changes, "change")}, ${movement}` : "No changes";
  return (
    <div
      className={cn(
        "mt-4 flex flex-wrap items-center gap-x-6 gap-y-2 rounded-panel border bg-card px-4 py-3",
        hasDraft && "sticky bottom-(--foot) z-20 shadow-layer",
      )}
    >
      <p className="num min-w-0 flex-1 basis-56 text-small" role="status" data-testid="draft-summary">
        {words}
      </p>
      {children}
    </div>
  );
}

/** All pools by the engine's split in the browser where tenants are known, else as the gateway previews them. */
function usePoolPreviews(live: Live, weights: Readonly<Record<string, number>>, pool: string | null): PreviewRow[] {
  const changes = useMemo(
    () => Object.entries(weights).map(([id, value]) => ({ kind: "group_weight" as const, id, value })),
    [weights],
  );
  const server = useServerPreview(changes);
  return useMemo(() => {
    const groupsOnly = withGroupsAsTenants(live);
    const input = previewInput(groupsOnly, { changes });
    const names = pool === null ? live.pools.map((one) => one.model) : [pool];
    const rows = names.flatMap((name) => {
      const one = previewChanges({ ...input, pool: name });
      return rowsOfPreview(one, changes, (id) => id);
    });
    const answers = new Map((server.data?.pools ?? []).map((answer) => [answer.pool, answer]));
    return rows
      .filter((row) => row.groups.length > 0)
      .map((row) => {
        const answer = answers.get(row.pool);
        return answer === undefined ? row : { ...row, movement: answer.movement, toFinish: answer.to_finish };
      });
  }, [live, changes, pool, server.data]);
}

/**
 * The summary has no tenants, and the split between groups needs none: each group stands for one tenant of its own, so
 * that the same preview function divides the pool.
 */
function withGroupsAsTenants(live: Live): Live {
  return {
    ...live,
    pools: live.pools.map((pool) => ({
      ...pool,
      keys: [],
      tenants: pool.groups.map((group) => ({
        tenant_id: group.name,
        name: group.name,
        group: group.name,
        weight: 1,
        effective_weight: 1,
        boost: null,
        max_in_flight: null,
        cap_source: null,
        in_flight: group.in_flight,
        queued: group.queued,
        held: group.held,
        slot_share: group.slot_cap,
        borrowed: group.borrowed,
        served_tokens: group.served_tokens,
        share_score: group.share_score,
        weight_share: group.weight_share,
        expected_slots: group.expected_slots,
        oldest_wait_ms: null,
        below_share: false,
        at_cap: false,
        position: null,
        reason: "not_waiting",
        above_share_ms: null,
      })),
    })),
  };
}

function answerOf(groups: readonly Group[], live: Live): string {
  const active = live.groups.length;
  if (groups.length === 1) return "One group: it gets every slot, and its weight decides nothing.";
  return `${plural(groups.length, "group")}, ${active} with work now.`;
}

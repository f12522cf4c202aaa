"use client";

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { DraftBar } from "../../components/change/draft-bar";
import type { SaveAlert } from "../../components/change/save-bar";
import { SaveProblem } from "../../components/change/save-problem";
import { Failure } from "../../components/ui/failure";
import { TextField } from "../../components/ui/field";
import { Panel } from "../../components/ui/panel";
import { Skeleton } from "../../components/ui/skeleton";
import { api } from "../../lib/api";
import { formatExact, plural, slotCount } from "../../lib/format";
import { useSession } from "../../lib/session";
import { useDraft } from "../../lib/use-draft";
import { useDraftSave } from "../../lib/use-draft-save";
import { errorOf, numberOf, parseOptional, parseSlots } from "../../lib/weight";
import { capacityQuery, type Versioned } from "../../queries/objects";
import { useLiveSummary } from "../../queries/use-live";
import type { Capacity } from "../../queries/wire";

export function CeilingPanel() {
  const { data, error, refetch } = useQuery(capacityQuery());
  return (
    <Panel title="Ceiling">
      {data ? (
        <CeilingForm capacity={data} />
      ) : error ? (
        <Failure what="Cannot read the ceiling" error={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton className="h-32" />
      )}
    </Panel>
  );
}

/** What the audit calls it by. */
const OBJECT_ID = "global_max_in_flight";

interface CeilingDraft {
  /** Empty: the setting's. */
  readonly ceiling: string;
}

/** Most requests in flight over all pools together. */
function CeilingForm({ capacity }: Readonly<{ capacity: Versioned<Capacity> }>) {
  const { data, etag } = capacity;
  const { isAdmin } = useSession();
  const initial = useMemo(() => ({ ceiling: data.global_max_in_flight?.toString() ?? "" }), [data]);
  const draft = useDraft<CeilingDraft>("ceiling", { initial, etag });
  const { ceiling } = draft.shown;
  const parsed = parseOptional(ceiling, parseSlots);
  const wanted = "value" in parsed ? (parsed.value ?? data.setting_global_max_in_flight) : null;
  const isBelow = wanted !== null && wanted < data.sum_of_pools;
  const running = useLiveSummary()?.live.in_flight ?? 0;
  const save = useDraftSave({
    object: capacity,
    query: capacityQuery(),
    draft,
    done: `Ceiling ${ceiling.trim() === "" ? "as the setting" : ceiling.trim()}`,
    send: (_, { options }) => api.call("setCapacity", { body: { global_max_in_flight: numberOf(parsed) } }, options),
  });
  return (
    <div className="space-y-3 text-small">
      <p className="num text-text-2">
        {formatExact(data.effective_global_max_in_flight)} in force; all pools together have{" "}
        {slotCount(data.sum_of_pools)}.{" "}
        {data.ceiling_reached
          ? "It is reached: pools take turns."
          : data.binds
            ? "It can bind before the pools are full."
            : "It does not bind."}
      </p>
      <TextField
        label="Ceiling"
        inputMode="numeric"
        disabled={!isAdmin}
        value={ceiling}
        onValue={(next) => draft.change({ ceiling: next })}
        placeholder={`${data.setting_global_max_in_flight}, the setting`}
        error={errorOf(parsed)}
        hint={isBelow ? "Below the sum of the pools: shares are then split over fewer slots." : undefined}
      />
      <SaveProblem objectId={OBJECT_ID} save={save} />
      <DraftBar
        objectId={OBJECT_ID}
        save={save}
        isDirty={draft.kept !== null}
        isBlocked={"error" in parsed}
        tier={{ isTwoStep: false, confirm: "" }}
        alert={isBelow ? ceilingAlert(wanted, data.sum_of_pools, running) : null}
        onDiscard={() => draft.change(null)}
      />
    </div>
  );
}

function ceilingAlert(wanted: number, sumOfPools: number, running: number): SaveAlert {
  return {
    title: `Lower the ceiling to ${formatExact(wanted)}?`,
    text:
      `The pools together have ${slotCount(sumOfPools)}, and their shares are then split over fewer. ` +
      `Running now: ${plural(running, "request")}; none of them is cut off.`,
  };
}

"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type SaveAlert, SaveBar } from "../../components/change/save-bar";
import { TextField } from "../../components/ui/field";
import { Panel } from "../../components/ui/panel";
import { Skeleton } from "../../components/ui/skeleton";
import { api, errorMessage } from "../../lib/api";
import { formatExact, plural } from "../../lib/format";
import { useSession } from "../../lib/session";
import { useSave } from "../../lib/use-save";
import { parseSlots } from "../../lib/weight";
import { capacityQuery, type Versioned } from "../../queries/objects";
import { useLiveSummary } from "../../queries/use-live";
import type { Capacity } from "../../queries/wire";

export function CeilingPanel() {
  const { data } = useQuery(capacityQuery());
  return <Panel title="Ceiling">{data ? <CeilingForm capacity={data} /> : <Skeleton className="h-32" />}</Panel>;
}

/** Most requests in flight over all pools together. */
function CeilingForm({ capacity }: Readonly<{ capacity: Versioned<Capacity> }>) {
  const { data, etag } = capacity;
  const { isAdmin } = useSession();
  const initial = data.global_max_in_flight?.toString() ?? "";
  const [text, setText] = useState<string | null>(null);
  const shown = text ?? initial;
  const parsed = shown.trim() === "" ? { value: null } : parseSlots(shown);
  const wanted = "value" in parsed ? (parsed.value ?? data.setting_global_max_in_flight) : null;
  const isBelow = wanted !== null && wanted < data.sum_of_pools;
  const save = useSave();
  const running = useLiveSummary()?.live.in_flight ?? 0;
  return (
    <div className="space-y-3 text-small">
      <p className="num text-text-2">
        {formatExact(data.effective_global_max_in_flight)} in force; all pools together have{" "}
        {formatExact(data.sum_of_pools)} slots.{" "}
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
        value={shown}
        onValue={setText}
        placeholder={`${data.setting_global_max_in_flight}, the setting`}
        error={"error" in parsed ? parsed.error : save.error ? errorMessage(save.error) : null}
        hint={isBelow ? "Below the sum of the pools: shares are then split over fewer slots." : undefined}
      />
      <SaveBar
        isDirty={shown !== initial}
        isBlocked={"error" in parsed}
        isSaving={save.isPending}
        tier={{ isTwoStep: false, confirm: "" }}
        alert={isBelow ? ceilingAlert(wanted, data.sum_of_pools, running) : null}
        onDiscard={() => setText(null)}
        onSave={() =>
          "value" in parsed &&
          save.mutate({
            done: `Ceiling ${parsed.value ?? "as the setting"}`,
            send: () =>
              api.call(
                "setCapacity",
                { body: { global_max_in_flight: parsed.value } },
                etag === null ? {} : { ifMatch: etag },
              ),
            onSaved: () => setText(null),
          })
        }
      />
    </div>
  );
}

function ceilingAlert(wanted: number, sumOfPools: number, running: number): SaveAlert {
  return {
    title: `Lower the ceiling to ${formatExact(wanted)}?`,
    text:
      `The pools together have ${formatExact(sumOfPools)} slots, and their shares are then split over fewer. ` +
      `Running now: ${plural(running, "request")}; none of them is cut off.`,
  };
}

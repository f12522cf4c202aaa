"use client";

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { DraftBar } from "../../components/change/draft-bar";
import { SaveProblem } from "../../components/change/save-problem";
import { PreviewCard } from "../../components/preview/preview-card";
import { TextField } from "../../components/ui/field";
import { Glyph } from "../../components/ui/glyph";
import { Panel } from "../../components/ui/panel";
import { RadioCard } from "../../components/ui/radio-card";
import { api } from "../../lib/api";
import { slotCount } from "../../lib/format";
import { rowsOfAnswer } from "../../lib/preview-rows";
import { saveTier } from "../../lib/save-tier";
import { useSession } from "../../lib/session";
import { useDraft } from "../../lib/use-draft";
import { useDraftSave } from "../../lib/use-draft-save";
import { capacityQuery, modelQuery, type Versioned } from "../../queries/objects";
import { useLiveSummary } from "../../queries/use-live";
import { useServerPreview } from "../../queries/use-server-preview";
import type { LivePool, Model } from "../../queries/wire";
import { CapacityStatus } from "./capacity-status";
import {
  type CapacityDraft,
  capacityBody,
  capacityDraft,
  capacityErrors,
  draftSize,
  isCapacityChanged,
} from "./logic/capacity-draft";
import { sizeAlert, sizeWarnings } from "./logic/capacity-words";

interface PoolSizeFormProps {
  model: Versioned<Model>;
  pool: LivePool | undefined;
}

/** How many slots the pool has and where the number comes from, with who gains or loses by a change. */
export function PoolSizeForm({ model, pool }: Readonly<PoolSizeFormProps>) {
  const { data } = model;
  const initial = useMemo(() => capacityDraft(data), [data]);
  const draft = useDraft<CapacityDraft>(`capacity.${data.id}`, { initial, etag: model.etag });
  const { shown, change } = draft;
  const live = useLiveSummary()?.live;
  const size = draftSize(shown, {
    defaultSize: live?.default_model_max_in_flight ?? 32,
    readyServers: data.capacity.ready_replicas,
  });
  const errors = capacityErrors(shown);
  const isDirty = isCapacityChanged(shown, data);
  const changes = useMemo(
    () => (isDirty && size !== null ? [{ kind: "pool_size" as const, id: data.name, value: size }] : []),
    [isDirty, size, data.name],
  );
  const preview = useServerPreview(changes);
  const rows = changes.length === 0 ? [] : rowsOfAnswer(preview.data?.pools ?? []);
  const save = useDraftSave({
    object: model,
    query: modelQuery(data.name),
    draft,
    done: `${data.name}: pool size changed`,
    send: (now, { touched, options }) => sendCapacity(now, { ...capacityDraft(now), ...touched }, options),
  });
  return (
    <Panel title="Pool size" bodyClassName="space-y-4 p-4">
      <CapacityStatus model={data} pool={pool} />
      <ModeCards
        draft={shown}
        model={data}
        errors={errors}
        onChange={change}
        defaultSize={live?.default_model_max_in_flight ?? 32}
      />
      <SizeWarnings size={size} isDirty={isDirty} replicas={live?.replicas ?? 1} currentSize={data.capacity.size} />
      {rows.map((row) => (
        <PreviewCard key={row.pool} row={row} subject="" level="tenant" />
      ))}
      <SaveProblem objectId={data.id} save={save} />
      <DraftBar
        objectId={data.id}
        save={save}
        isDirty={isDirty}
        isBlocked={Object.values(errors).some((error) => error !== null)}
        tier={saveTier(rows)}
        alert={isDirty ? sizeAlert(size, pool) : null}
        onDiscard={() => change(null)}
      />
    </Panel>
  );
}

interface ModeCardsProps {
  draft: CapacityDraft;
  model: Model;
  errors: ReturnType<typeof capacityErrors>;
  onChange: (draft: CapacityDraft) => void;
  defaultSize: number;
}

function ModeCards({ draft, model, errors, onChange, defaultSize }: Readonly<ModeCardsProps>) {
  const { isAdmin } = useSession();
  const choose = (mode: CapacityDraft["mode"]) => onChange({ ...draft, mode });
  return (
    <fieldset disabled={!isAdmin} className="space-y-2">
      <legend className="sr-only">Where the size comes from</legend>
      <RadioCard
        name="mode"
        label="Static"
        hint="A number set here."
        isChecked={draft.mode === "static"}
        onChoose={() => choose("static")}
      >
        <TextField
          label="Max in flight"
          inputMode="numeric"
          value={draft.slots}
          onValue={(slots) => onChange({ ...draft, slots })}
          placeholder={`${defaultSize}, the gateway's default`}
          error={errors.slots}
          fieldClassName="max-w-56"
        />
      </RadioCard>
      {model.capacity_mode === "tuned" ? (
        <RadioCard
          name="mode"
          label="Tuned"
          hint={`Found by measuring the backend${model.tuned_by ? `, by ${model.tuned_by}` : ""}.`}
          isChecked={draft.mode === "tuned"}
          onChoose={() => choose("tuned")}
        >
          <p className="num text-small">
            {model.max_in_flight === null ? "The gateway's default" : slotCount(model.max_in_flight)}
          </p>
        </RadioCard>
      ) : null}
      <RadioCard
        name="mode"
        label="Discovered"
        hint="Ready servers times slots per server times headroom; follows the backend as it scales."
        isChecked={draft.mode === "discovered"}
        onChoose={() => choose("discovered")}
      >
        <div className="grid gap-3 sm:grid-cols-2">
          <TextField
            label="Slots per server"
            inputMode="numeric"
            value={draft.perServer}
            onValue={(perServer) => onChange({ ...draft, perServer })}
            placeholder="each endpoint's own cap"
            error={errors.perServer}
          />
          <TextField
            label="Headroom"
            inputMode="decimal"
            value={draft.headroom}
            onValue={(headroom) => onChange({ ...draft, headroom })}
            error={errors.headroom}
          />
        </div>
      </RadioCard>
    </fieldset>
  );
}

interface SizeWarningsProps {
  size: number | null;
  isDirty: boolean;
  replicas: number;
  currentSize: number;
}

function SizeWarnings({ size, isDirty, replicas, currentSize }: Readonly<SizeWarningsProps>) {
  const capacity = useQuery(capacityQuery()).data?.data ?? null;
  if (!isDirty || size === null) return null;
  const warnings = sizeWarnings({ size, currentSize, replicas, capacity });
  return (
    <ul className="space-y-1 text-small">
      {warnings.map((warning) => (
        <li key={warning} className="flex gap-2">
          <Glyph shape="triangle" tone="watch" className="mt-1 size-2.5" />
          {warning}
        </li>
      ))}
    </ul>
  );
}

function sendCapacity(model: Model, draft: CapacityDraft, options: { ifMatch?: string }) {
  const params = { id: model.id };
  const body = capacityBody(draft);
  if (body.capacity_mode === "discovered") return api.call("setModelCapacityMode", { params, body }, options);
  const { capacity_mode, max_in_flight } = body;
  return model.capacity_mode === capacity_mode
    ? api.call("setModelCapacity", { params, body: { max_in_flight } }, options)
    : api.call("updateModel", { params, body: { capacity_mode, max_in_flight } }, options);
}

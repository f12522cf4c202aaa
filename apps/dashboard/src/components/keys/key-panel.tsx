"use client";

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { api, errorMessage } from "../../lib/api";
import { formatAgo } from "../../lib/format";
import { type PreviewRow, rowsOfAnswer } from "../../lib/preview-rows";
import { saveTier } from "../../lib/save-tier";
import { useSession } from "../../lib/session";
import { useDraft } from "../../lib/use-draft";
import { useDraftSave } from "../../lib/use-draft-save";
import { useNow } from "../../lib/use-now";
import { parseSlots, parseWeight, stepWeight } from "../../lib/weight";
import { keyQuery, type Versioned } from "../../queries/objects";
import { useServerPreview } from "../../queries/use-server-preview";
import type { Key } from "../../queries/wire";
import { DraftBar } from "../change/draft-bar";
import { SaveProblem } from "../change/save-problem";
import { PreviewCard } from "../preview/preview-card";
import { Failure } from "../ui/failure";
import { Stepper, TextField } from "../ui/field";
import { Sheet } from "../ui/sheet";
import { Skeleton } from "../ui/skeleton";
import { KeyActions } from "./key-actions";

interface KeyDraft {
  readonly name: string;
  readonly weight: string;
  readonly cap: string;
}

/** One key: its name, weight and cap with what a change moves, its secret, and its end. */
export function KeyPanel({ id, onClose }: Readonly<{ id: string; onClose: () => void }>) {
  const { data, error, refetch } = useQuery(keyQuery(id));
  if (data !== undefined) return <LoadedKey key={data.data.id} entry={data} onClose={onClose} />;
  return (
    <Sheet title="Key" onClose={onClose}>
      {error ? (
        <Failure what="Cannot read the key" error={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton className="h-64" />
      )}
    </Sheet>
  );
}

function LoadedKey({ entry, onClose }: Readonly<{ entry: Versioned<Key>; onClose: () => void }>) {
  const { data } = entry;
  const initial = useMemo(
    () => ({ name: data.name, weight: String(data.weight), cap: data.max_in_flight?.toString() ?? "" }),
    [data],
  );
  const draft = useDraft<KeyDraft>(`key.${data.id}`, { initial, etag: entry.etag });
  const { shown, change } = draft;
  const weight = parseWeight(shown.weight);
  const cap = shown.cap.trim() === "" ? { value: null } : parseSlots(shown.cap);
  const isDirty = draft.kept !== null;
  const rows = useKeyPreview(data, { weight, cap });
  const save = useDraftSave({
    object: entry,
    query: keyQuery(data.id),
    draft,
    done: `Key ${shown.name.trim()} changed`,
    send: ({ id }, { touched, options }) => {
      const body = {
        ...(touched.name === undefined ? {} : { name: touched.name.trim() }),
        ...(touched.weight !== undefined && "value" in weight ? { weight: weight.value } : {}),
        ...(touched.cap !== undefined && "value" in cap ? { max_in_flight: cap.value } : {}),
      };
      return api.call("updateKey", { params: { id }, body }, options);
    },
  });
  return (
    <Sheet
      title={`Key ${data.name}`}
      description={<KeyFacts entry={data} />}
      onClose={onClose}
      rowId={data.id}
      footer={
        <DraftBar
          objectId={data.id}
          save={save}
          isDirty={isDirty}
          isBlocked={"error" in weight || "error" in cap || shown.name.trim() === ""}
          tier={saveTier(rows)}
          onDiscard={() => change(null)}
        />
      }
    >
      <SaveProblem objectId={data.id} save={save} fields={["name"]} />
      <KeyFields
        draft={shown}
        onChange={change}
        errors={{
          name: save.field === "name" ? errorMessage(save.error) : null,
          weight: "error" in weight ? weight.error : null,
          cap: "error" in cap ? cap.error : null,
        }}
      />
      {isDirty && rows.length === 0 ? (
        <p className="text-small text-text-2">It has no work now: nothing moves until it sends.</p>
      ) : null}
      {isDirty ? rows.map((row) => <PreviewCard key={row.pool} row={row} subject={data.id} level="key" />) : null}
      <KeyActions entry={data} onGone={onClose} />
    </Sheet>
  );
}

interface KeyFieldsProps {
  draft: KeyDraft;
  onChange: (draft: KeyDraft) => void;
  errors: { name: string | null; weight: string | null; cap: string | null };
}

function KeyFields({ draft, onChange, errors }: Readonly<KeyFieldsProps>) {
  const { isAdmin } = useSession();
  return (
    <div className="space-y-4">
      <TextField
        label="Name"
        value={draft.name}
        disabled={!isAdmin}
        onValue={(name) => onChange({ ...draft, name })}
        error={errors.name}
      />
      <Stepper
        label="Weight"
        value={draft.weight}
        disabled={!isAdmin}
        onValue={(weight) => onChange({ ...draft, weight })}
        step={(direction, isFine) => stepWeight(draft.weight, direction, isFine)}
        hint="Against the tenant's other keys"
        error={errors.weight}
        className="max-w-40"
      />
      <TextField
        label="Cap"
        inputMode="numeric"
        value={draft.cap}
        disabled={!isAdmin}
        onValue={(cap) => onChange({ ...draft, cap })}
        placeholder="no cap"
        hint="Most slots in one pool"
        error={errors.cap}
        fieldClassName="max-w-40"
      />
    </div>
  );
}

function KeyFacts({ entry }: Readonly<{ entry: Key }>) {
  const nowMs = useNow(10_000);
  return (
    <span className="flex flex-wrap gap-x-3">
      <code className="font-mono text-micro">{entry.prefix}…</code>
      <span className="name">of {entry.tenant_name}</span>
      <span>{entry.last_used_ts_ms === null ? "never used" : `used ${formatAgo(nowMs - entry.last_used_ts_ms)}`}</span>
    </span>
  );
}

type Parsed = { readonly value: number | null } | { readonly error: string };

function useKeyPreview(entry: Key, given: { weight: Parsed; cap: Parsed }): PreviewRow[] {
  const weight = "value" in given.weight ? given.weight.value : null;
  const cap = "value" in given.cap ? given.cap.value : entry.max_in_flight;
  const changes = useMemo(
    () => [
      ...(weight !== null && weight !== entry.weight
        ? [{ kind: "key_weight" as const, id: entry.id, value: weight }]
        : []),
      ...(cap === entry.max_in_flight ? [] : [{ kind: "key_cap" as const, id: entry.id, value: cap }]),
    ],
    [weight, cap, entry.id, entry.weight, entry.max_in_flight],
  );
  const { data } = useServerPreview(changes);
  return rowsOfAnswer(data?.pools ?? []).map((row) => {
    const mine = data?.pools
      .find((pool) => pool.pool === row.pool)
      ?.keys.filter((key) => key.tenant_id === entry.tenant_id);
    const ids = new Set(mine?.map((key) => key.key_id));
    return { ...row, keys: row.keys.filter((key) => ids.has(key.id)) };
  });
}

"use client";

import { useRouter } from "next/navigation";
import { useState } from "react";
import { ConfirmByName } from "../../components/change/confirm-by-name";
import { SaveBar } from "../../components/change/save-bar";
import { Button } from "../../components/ui/button";
import { SelectField, TextField } from "../../components/ui/field";
import { Panel } from "../../components/ui/panel";
import { api, errorField, errorMessage } from "../../lib/api";
import { useSession } from "../../lib/session";
import { useSave } from "../../lib/use-save";
import { parseWhole } from "../../lib/weight";
import type { Versioned } from "../../queries/objects";
import type { Model } from "../../queries/wire";

interface SettingsDraft {
  readonly name: string;
  readonly aliases: string;
  readonly admissionWeight: string;
  readonly selection: Model["endpoint_selection"];
  readonly timeout: string;
  readonly retries: string;
  readonly queues: boolean;
}

/** Names, admission weight, how endpoints are chosen, and deleting the model. */
export function SettingsTab({ model }: Readonly<{ model: Versioned<Model> }>) {
  const { data, etag } = model;
  const initial = draftOf(data);
  const [draft, setDraft] = useState(initial);
  const save = useSave();
  const router = useRouter();
  const weight = parseWhole(draft.admissionWeight, { what: "An admission weight in percent", max: 10_000 });
  const field = errorField(save.error);
  const set = (change: Partial<SettingsDraft>) => setDraft({ ...draft, ...change });
  const isDirty = JSON.stringify(draft) !== JSON.stringify(initial);
  const send = () =>
    save.mutate({
      done: `${data.name} changed`,
      send: () =>
        api.call(
          "updateModel",
          { params: { id: data.id }, body: bodyOf(draft) },
          etag === null ? {} : { ifMatch: etag },
        ),
      onSaved: () =>
        draft.name.trim() !== data.name &&
        router.replace(`/models/${encodeURIComponent(draft.name.trim())}?tab=settings`),
    });
  return (
    <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-2">
      <Panel title="Settings" bodyClassName="space-y-4 p-4">
        <SettingsFields
          draft={draft}
          onChange={set}
          refused={(name) => (field === name ? errorMessage(save.error) : null)}
          weightError={"error" in weight ? weight.error : null}
        />
        {save.error && field === null ? (
          <p role="alert" className="text-small text-urgent">
            Not saved. {errorMessage(save.error)}
          </p>
        ) : null}
        <SaveBar
          isDirty={isDirty}
          isBlocked={"error" in weight || draft.name.trim() === ""}
          isSaving={save.isPending}
          tier={{ isTwoStep: false, confirm: "" }}
          onSave={send}
          onDiscard={() => setDraft(initial)}
        />
      </Panel>
      <DeleteModel model={data} />
    </div>
  );
}

interface SettingsFieldsProps {
  draft: SettingsDraft;
  onChange: (change: Partial<SettingsDraft>) => void;
  refused: (field: string) => string | null;
  weightError: string | null;
}

function SettingsFields({ draft, onChange, refused, weightError }: Readonly<SettingsFieldsProps>) {
  const { isAdmin } = useSession();
  return (
    <fieldset disabled={!isAdmin} className="grid gap-4 sm:grid-cols-2">
      <TextField label="Name" value={draft.name} onValue={(name) => onChange({ name })} error={refused("name")} />
      <TextField
        label="Aliases"
        value={draft.aliases}
        onValue={(aliases) => onChange({ aliases })}
        hint="With commas between them"
        error={refused("aliases")}
      />
      <TextField
        label="Admission weight, percent"
        inputMode="numeric"
        value={draft.admissionWeight}
        onValue={(admissionWeight) => onChange({ admissionWeight })}
        hint="Scales every tenant's weight here alike"
        error={weightError ?? refused("admission_weight")}
      />
      <SelectField
        label="Endpoints are chosen by"
        value={draft.selection}
        onValue={(selection) => onChange({ selection: selection as SettingsDraft["selection"] })}
        options={[
          { value: "failover", label: "Failover, by priority" },
          { value: "load_balance", label: "Load, by weight" },
          { value: "session_hash", label: "Session" },
        ]}
      />
      <TextField
        label="Request timeout, s"
        inputMode="numeric"
        value={draft.timeout}
        onValue={(timeout) => onChange({ timeout })}
        placeholder="none"
        error={refused("request_timeout_secs")}
      />
      <TextField
        label="Retries"
        inputMode="numeric"
        value={draft.retries}
        onValue={(retries) => onChange({ retries })}
        error={refused("max_retries")}
      />
      <label className="flex items-start gap-2 text-small sm:col-span-2">
        <input
          type="checkbox"
          className="mt-0.5 size-4 accent-(--text)"
          checked={draft.queues}
          onChange={(event) => onChange({ queues: event.target.checked })}
        />
        Let requests wait while there is no server, for a backend that scales from zero
      </label>
    </fieldset>
  );
}

function DeleteModel({ model }: Readonly<{ model: Model }>) {
  const { isAdmin } = useSession();
  const [isAsking, setIsAsking] = useState(false);
  const save = useSave();
  const router = useRouter();
  return (
    <Panel title="Delete" bodyClassName="space-y-3 p-4">
      <p className="text-small text-text-2">Requests for it are refused from then on. Usage and audit rows stay.</p>
      <Button variant="danger" disabled={!isAdmin} onClick={() => setIsAsking(true)}>
        Delete the model
      </Button>
      {isAsking ? (
        <ConfirmByName
          title={`Delete ${model.name}?`}
          name={model.name}
          confirmLabel="Delete"
          isPending={save.isPending}
          error={save.error}
          onCancel={() => setIsAsking(false)}
          onConfirm={() =>
            save.mutate({
              done: `${model.name} deleted`,
              send: () => api.call("deleteModel", { params: { id: model.id } }),
              onSaved: () => router.push("/models"),
            })
          }
        >
          <p>Its pool ends when what runs has finished.</p>
        </ConfirmByName>
      ) : null}
    </Panel>
  );
}

function draftOf(model: Model): SettingsDraft {
  return {
    name: model.name,
    aliases: model.aliases.join(", "),
    admissionWeight: String(model.admission_weight),
    selection: model.endpoint_selection,
    timeout: model.request_timeout_secs?.toString() ?? "",
    retries: String(model.max_retries),
    queues: model.queue_without_servers,
  };
}

function bodyOf(draft: SettingsDraft) {
  return {
    name: draft.name.trim(),
    aliases: draft.aliases
      .split(",")
      .map((alias) => alias.trim())
      .filter((alias) => alias !== ""),
    admission_weight: Number(draft.admissionWeight),
    endpoint_selection: draft.selection,
    request_timeout_secs: draft.timeout.trim() === "" ? null : Number(draft.timeout),
    max_retries: Number(draft.retries),
    queue_without_servers: draft.queues,
  };
}

"use client";

import { useRouter } from "next/navigation";
import { useMemo, useState } from "react";
import { ConfirmByName } from "../../components/change/confirm-by-name";
import { DraftBar } from "../../components/change/draft-bar";
import { SaveProblem } from "../../components/change/save-problem";
import { Button } from "../../components/ui/button";
import { SelectField, TextField } from "../../components/ui/field";
import { Panel } from "../../components/ui/panel";
import { api, errorMessage } from "../../lib/api";
import { useSession } from "../../lib/session";
import { useDraft } from "../../lib/use-draft";
import { useDraftSave } from "../../lib/use-draft-save";
import { useSave } from "../../lib/use-save";
import { parseWhole } from "../../lib/weight";
import { modelQuery, type Versioned } from "../../queries/objects";
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

/** Fields that say beside their control why they were refused. */
const OWN_PLACE = ["name", "aliases", "admission_weight", "request_timeout_secs", "max_retries"];

/** Names, admission weight, how endpoints are chosen, and deleting the model. */
export function SettingsTab({ model }: Readonly<{ model: Versioned<Model> }>) {
  const { data } = model;
  const initial = useMemo(() => draftOf(data), [data]);
  const draft = useDraft<SettingsDraft>(`model.${data.id}`, { initial, etag: model.etag });
  const { shown, change } = draft;
  const router = useRouter();
  const weight = parseWhole(shown.admissionWeight, { what: "An admission weight in percent", max: 10_000 });
  const save = useDraftSave({
    object: model,
    query: modelQuery(data.name),
    draft,
    done: `${data.name} changed`,
    send: (now, { touched, options }) =>
      api.call("updateModel", { params: { id: now.id }, body: patchOf(touched) }, options),
    onSaved: ({ name }) =>
      name !== undefined && router.replace(`/models/${encodeURIComponent(name.trim())}?tab=settings`),
  });
  return (
    <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-2">
      <Panel title="Settings" bodyClassName="space-y-4 p-4">
        <SettingsFields
          draft={shown}
          onChange={(part) => change({ ...shown, ...part })}
          refused={(name) => (save.field === name ? errorMessage(save.error) : null)}
          weightError={"error" in weight ? weight.error : null}
        />
        <SaveProblem objectId={data.id} save={save} fields={OWN_PLACE} />
        <DraftBar
          objectId={data.id}
          save={save}
          isDirty={draft.kept !== null}
          isBlocked={"error" in weight || shown.name.trim() === ""}
          tier={{ isTwoStep: false, confirm: "" }}
          onDiscard={() => change(null)}
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

/** Only what was touched; the rest stays as it is, whoever changed it. */
function patchOf({ name, aliases, admissionWeight, selection, timeout, retries, queues }: Partial<SettingsDraft>) {
  const names = aliases?.split(",").map((alias) => alias.trim());
  return {
    ...(name === undefined ? {} : { name: name.trim() }),
    ...(names === undefined ? {} : { aliases: names.filter((alias) => alias !== "") }),
    ...(admissionWeight === undefined ? {} : { admission_weight: Number(admissionWeight) }),
    ...(selection === undefined ? {} : { endpoint_selection: selection }),
    ...(timeout === undefined ? {} : { request_timeout_secs: timeout.trim() === "" ? null : Number(timeout) }),
    ...(retries === undefined ? {} : { max_retries: Number(retries) }),
    ...(queues === undefined ? {} : { queue_without_servers: queues }),
  };
}

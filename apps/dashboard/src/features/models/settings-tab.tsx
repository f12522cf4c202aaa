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
import { modelQuery, type Versioned } from "../../queries/objects";
import type { Model } from "../../queries/wire";
import { type SettingsDraft, settingsDraft, settingsErrors, settingsPatch } from "./logic/model-settings-draft";

/** Fields that say beside their control why they were refused. */
const OWN_PLACE = ["name", "aliases", "admission_weight", "request_timeout_secs", "max_retries"];

/** Names, admission weight, how endpoints are chosen, and deleting the model. */
export function SettingsTab({ model }: Readonly<{ model: Versioned<Model> }>) {
  const { data } = model;
  const initial = useMemo(() => settingsDraft(data), [data]);
  const draft = useDraft<SettingsDraft>(`model.${data.id}`, { initial, etag: model.etag });
  const { shown, change } = draft;
  const router = useRouter();
  const errors = settingsErrors(shown);
  const save = useDraftSave({
    object: model,
    query: modelQuery(data.name),
    draft,
    done: `${data.name} changed`,
    send: (now, { touched, options }) =>
      api.call("updateModel", { params: { id: now.id }, body: settingsPatch(touched) }, options),
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
          errors={errors}
        />
        <SaveProblem objectId={data.id} save={save} fields={OWN_PLACE} />
        <DraftBar
          objectId={data.id}
          save={save}
          isDirty={draft.kept !== null}
          isBlocked={Object.values(errors).some((error) => error !== null)}
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
  errors: ReturnType<typeof settingsErrors>;
}

function SettingsFields({ draft, onChange, refused, errors }: Readonly<SettingsFieldsProps>) {
  const { isAdmin } = useSession();
  return (
    <fieldset disabled={!isAdmin} className="grid gap-4 sm:grid-cols-2">
      <TextField
        label="Name"
        value={draft.name}
        onValue={(name) => onChange({ name })}
        error={errors.name ?? refused("name")}
      />
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
        error={errors.admissionWeight ?? refused("admission_weight")}
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
        error={errors.timeout ?? refused("request_timeout_secs")}
      />
      <TextField
        label="Retries"
        inputMode="numeric"
        value={draft.retries}
        onValue={(retries) => onChange({ retries })}
        error={errors.retries ?? refused("max_retries")}
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
              gone: modelQuery(model.name).queryKey,
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

"use client";

import { heldLimit } from "@obleth/fairshare/shares";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { DraftBar } from "../../components/change/draft-bar";
import { SaveProblem } from "../../components/change/save-problem";
import { TextField } from "../../components/ui/field";
import { HelpTip } from "../../components/ui/help-tip";
import { Panel } from "../../components/ui/panel";
import { Segmented } from "../../components/ui/segmented";
import { api } from "../../lib/api";
import { formatExact, slotCount } from "../../lib/format";
import { useSession } from "../../lib/session";
import { useDraft } from "../../lib/use-draft";
import { useDraftSave } from "../../lib/use-draft-save";
import { modelQuery, type Versioned } from "../../queries/objects";
import { clusterSettingsQuery } from "../../queries/settings";
import type { LivePool, Model } from "../../queries/wire";
import { type AffinityDraft, affinityDraft, affinityErrors, affinityOf } from "./logic/affinity-draft";

interface AffinityFormProps {
  model: Versioned<Model>;
  pool: LivePool | undefined;
}

/** Whether sessions keep their slot between steps on this model. */
export function AffinityForm({ model, pool }: Readonly<AffinityFormProps>) {
  const { data } = model;
  const { isAdmin } = useSession();
  const initial = useMemo(() => affinityDraft(data.session_affinity), [data.session_affinity]);
  const draft = useDraft<AffinityDraft>(`affinity.${data.id}`, { initial, etag: model.etag });
  const { shown, change } = draft;
  const errors = affinityErrors(shown);
  const gateway = useGatewayAffinity();
  const save = useDraftSave({
    object: model,
    query: modelQuery(data.name),
    draft,
    done: `${data.name}: session affinity changed`,
    send: (now, { touched, options }) => {
      const wanted = affinityOf({ ...affinityDraft(now.session_affinity), ...touched });
      return api.call("setSessionAffinity", { params: { id: now.id }, body: wanted as never }, options);
    },
  });
  const isDirty =
    JSON.stringify(affinityOf(shown)) !== JSON.stringify(affinityOf(initial)) || Object.values(errors).some(Boolean);
  const percent = shown.heldPercent.trim() === "" ? Number(gateway.heldPercent) : Number(shown.heldPercent);
  const size = pool?.cap ?? data.capacity.size;
  const isBalanced = data.endpoint_selection === "load_balance" && data.endpoints.length > 1;
  return (
    <Panel
      title={
        <>
          Session affinity
          <HelpTip label="What session affinity does">
            An agent's steps share a growing prompt that the backend keeps warm. With affinity on, a session's next step
            goes before older requests of its key, and its slot may stay empty for a moment so that the step finds it
            free.
          </HelpTip>
        </>
      }
      bodyClassName="space-y-4 p-4"
    >
      <Segmented
        label="Session affinity"
        value={shown.mode}
        options={[
          { value: "follow", label: `Follow the gateway (${gateway.enabled})` },
          { value: "on", label: "On" },
          { value: "off", label: "Off" },
        ]}
        onValue={(mode) => change({ ...shown, mode })}
        isDisabled={!isAdmin}
      />
      {isBalanced ? (
        <p className="text-small text-text-2">
          Requests are balanced over several endpoints, so affinity has no effect here.
        </p>
      ) : null}
      <AffinityFields draft={shown} errors={errors} gateway={gateway} onChange={change} />
      <p className="num text-small text-text-2" data-testid="held-limit">
        At most {formatExact(heldLimit(size, Number.isFinite(percent) ? percent : 0))} of {slotCount(size)} held.
      </p>
      <BypassWarning
        seconds={Number(shown.bypassSecs || gateway.bypassSecs)}
        timeoutSecs={Number(gateway.timeoutSecs)}
      />
      <SaveProblem objectId={data.id} save={save} />
      <DraftBar
        objectId={data.id}
        save={save}
        isDirty={isDirty}
        isBlocked={Object.values(errors).some((error) => error !== null)}
        tier={{ isTwoStep: false, confirm: "" }}
        onDiscard={() => change(null)}
      />
    </Panel>
  );
}

interface AffinityFieldsProps {
  draft: AffinityDraft;
  errors: ReturnType<typeof affinityErrors>;
  gateway: GatewayAffinity;
  onChange: (draft: AffinityDraft) => void;
}

function AffinityFields({ draft, errors, gateway, onChange }: Readonly<AffinityFieldsProps>) {
  const { isAdmin } = useSession();
  const fields = [
    { key: "holdMs", label: "Hold time, ms", placeholder: gateway.holdMs },
    { key: "heldPercent", label: "Held percent", placeholder: gateway.heldPercent },
    { key: "bypassSecs", label: "Bypass limit, s", placeholder: gateway.bypassSecs },
  ] as const;
  return (
    <div className="grid gap-3 sm:grid-cols-3">
      {fields.map((field) => (
        <TextField
          key={field.key}
          label={field.label}
          inputMode="numeric"
          disabled={!isAdmin}
          value={draft[field.key]}
          placeholder={`${field.placeholder}, the gateway's`}
          error={errors[field.key]}
          onValue={(value) => onChange({ ...draft, [field.key]: value })}
        />
      ))}
    </div>
  );
}

function BypassWarning({ seconds, timeoutSecs }: Readonly<{ seconds: number; timeoutSecs: number }>) {
  if (!Number.isFinite(seconds) || !Number.isFinite(timeoutSecs) || seconds <= timeoutSecs / 2) return null;
  return (
    <p className="text-small">
      The bypass limit is over half of the admission timeout ({timeoutSecs} s): a passed request may time out before its
      turn.
    </p>
  );
}

interface GatewayAffinity {
  readonly enabled: string;
  readonly holdMs: string;
  readonly heldPercent: string;
  readonly bypassSecs: string;
  readonly timeoutSecs: string;
}

/** The gateway's own values, which a model follows where it sets none. */
function useGatewayAffinity(): GatewayAffinity {
  const { data } = useQuery(clusterSettingsQuery());
  const value = (name: string, otherwise: string) => {
    const setting = data?.settings.find((one) => one.name === name);
    return setting?.values[0]?.value ?? setting?.default ?? otherwise;
  };
  const prefix = "OBLETH_FAIRSHARE_SESSION_AFFINITY";
  return {
    enabled: value(prefix, "false") === "true" ? "on" : "off",
    holdMs: value(`${prefix}_HOLD_MS`, "3000"),
    heldPercent: value(`${prefix}_MAX_HELD_PERCENT`, "25"),
    bypassSecs: value(`${prefix}_MAX_BYPASS_SECS`, "30"),
    timeoutSecs: value("OBLETH_ADMISSION_TIMEOUT_SECS", "60"),
  };
}

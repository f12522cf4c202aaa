"use client";

import { useMutation } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { Button } from "../../components/ui/button";
import { Dialog } from "../../components/ui/dialog";
import { SelectField, TextField } from "../../components/ui/field";
import { api, errorField, errorMessage } from "../../lib/api";
import { useSave } from "../../lib/use-save";
import { parseSlots } from "../../lib/weight";

interface ModelDraft {
  readonly name: string;
  readonly apiBase: string;
  readonly apiKey: string;
  readonly upstream: string;
  readonly protocol: "openai" | "anthropic";
  readonly type: "chat" | "embedding" | "completion" | "rerank" | "other";
  readonly slots: string;
}

const EMPTY: ModelDraft = {
  name: "",
  apiBase: "",
  apiKey: "",
  upstream: "",
  protocol: "openai",
  type: "chat",
  slots: "",
};

/** A model with its first endpoint; the provider can be asked what it serves. */
export function NewModel({ onClose }: Readonly<{ onClose: () => void }>) {
  const [draft, setDraft] = useState<ModelDraft>(EMPTY);
  const router = useRouter();
  const save = useSave();
  const slots = draft.slots.trim() === "" ? null : parseSlots(draft.slots);
  const isReady = draft.name.trim() !== "" && (slots === null || "value" in slots);
  const create = () =>
    save.mutate({
      done: `Model ${draft.name.trim()} added`,
      send: () => createModel(draft, slots !== null && "value" in slots ? slots.value : null),
      onSaved: () => {
        onClose();
        router.push(`/models/${encodeURIComponent(draft.name.trim())}`);
      },
    });
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Add a model"
      description="Clients ask for it by this name. Its requests go to the endpoint below; more can be added later."
      className="max-w-xl"
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" disabled={!isReady || save.isPending} onClick={create}>
            Add the model
          </Button>
        </>
      }
    >
      <ModelFields draft={draft} onChange={(change) => setDraft({ ...draft, ...change })} error={save.error} />
    </Dialog>
  );
}

interface ModelFieldsProps {
  draft: ModelDraft;
  onChange: (change: Partial<ModelDraft>) => void;
  error: unknown;
}

function ModelFields({ draft, onChange, error }: Readonly<ModelFieldsProps>) {
  const field = errorField(error);
  const refused = (name: string) => (field === name ? errorMessage(error) : null);
  const slots = draft.slots.trim() === "" ? null : parseSlots(draft.slots);
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <TextField
        label="Name"
        value={draft.name}
        onValue={(name) => onChange({ name })}
        error={refused("name")}
        fieldClassName="sm:col-span-2"
        placeholder="llama-70b"
      />
      <SelectField
        label="Type"
        value={draft.type}
        onValue={(type) => onChange({ type: type as ModelDraft["type"] })}
        options={["chat", "embedding", "completion", "rerank", "other"].map((value) => ({ value, label: value }))}
      />
      <TextField
        label="Pool size"
        inputMode="numeric"
        value={draft.slots}
        onValue={(next) => onChange({ slots: next })}
        placeholder="the gateway's default"
        error={slots !== null && "error" in slots ? slots.error : refused("max_in_flight")}
      />
      <TextField
        label="API base"
        value={draft.apiBase}
        onValue={(apiBase) => onChange({ apiBase })}
        placeholder="http://llm:8000/v1"
        hint="Up to and including /v1"
        error={refused("api_base")}
        fieldClassName="sm:col-span-2"
      />
      <SelectField
        label="Protocol"
        value={draft.protocol}
        onValue={(protocol) => onChange({ protocol: protocol as ModelDraft["protocol"] })}
        options={[
          { value: "openai", label: "OpenAI" },
          { value: "anthropic", label: "Anthropic" },
        ]}
      />
      <TextField
        label="API key"
        type="password"
        autoComplete="off"
        value={draft.apiKey}
        onValue={(apiKey) => onChange({ apiKey })}
        hint="Stored sealed, never shown again"
        error={refused("api_key")}
      />
      <UpstreamField draft={draft} onChange={onChange} error={refused("upstream_model")} />
      {error && field === null ? (
        <p role="alert" className="text-small text-urgent sm:col-span-2">
          {errorMessage(error)}
        </p>
      ) : null}
    </div>
  );
}

/** The provider's own name for the model, typed or chosen from what it serves. */
function UpstreamField({
  draft,
  onChange,
  error,
}: Readonly<{ draft: ModelDraft; onChange: ModelFieldsProps["onChange"]; error: string | null }>) {
  const discover = useMutation({
    mutationFn: async () => {
      const key = draft.apiKey === "" ? {} : { api_key: draft.apiKey };
      return (await api.call("discoverModels", { body: { api_base: draft.apiBase, protocol: draft.protocol, ...key } }))
        .data;
    },
  });
  const found = discover.data?.models ?? [];
  return (
    <div className="space-y-2 sm:col-span-2">
      <div className="flex items-end gap-2">
        <TextField
          label="Name at the provider"
          value={draft.upstream}
          onValue={(upstream) => onChange({ upstream })}
          placeholder="the same"
          error={error}
          fieldClassName="flex-1"
          list="upstream-models"
        />
        <Button disabled={draft.apiBase === "" || discover.isPending} onClick={() => discover.mutate()}>
          {discover.isPending ? "Asking" : "Ask what it serves"}
        </Button>
      </div>
      <datalist id="upstream-models">
        {found.map((model) => (
          <option key={model.id} value={model.id} />
        ))}
      </datalist>
      {discover.error ? (
        <p role="alert" className="text-micro text-urgent">
          {errorMessage(discover.error)}
        </p>
      ) : null}
      {discover.data ? (
        <p className="text-micro text-text-2">
          {found.length === 0 ? "It names no models." : `It serves: ${found.map((model) => model.id).join(", ")}`}
        </p>
      ) : null}
    </div>
  );
}

function createModel(draft: ModelDraft, maxInFlight: number | null) {
  const endpoint =
    draft.apiBase.trim() === ""
      ? {}
      : {
          api_base: draft.apiBase.trim(),
          protocol: draft.protocol,
          ...(draft.apiKey === "" ? {} : { api_key: draft.apiKey }),
          ...(draft.upstream.trim() === "" ? {} : { upstream_model: draft.upstream.trim() }),
        };
  return api.call("createModel", {
    body: { name: draft.name.trim(), type: draft.type, max_in_flight: maxInFlight, ...endpoint },
  });
}

"use client";

import { useState } from "react";
import { Button } from "../../components/ui/button";
import { Dialog } from "../../components/ui/dialog";
import { SelectField, TextField } from "../../components/ui/field";
import { api, errorField, errorMessage } from "../../lib/api";
import { useSave } from "../../lib/use-save";
import type { Model } from "../../queries/wire";
import { type EndpointDraft, endpointBody, endpointDraft, endpointErrors } from "./logic/endpoint-draft";

type Endpoint = Model["endpoints"][number];

interface EndpointDialogProps {
  model: Model;
  /** Null: a new one. */
  endpoint: Endpoint | null;
  onClose: () => void;
}

export function EndpointDialog({ model, endpoint, onClose }: Readonly<EndpointDialogProps>) {
  const [begun] = useState(() => endpointDraft(endpoint));
  const [draft, setDraft] = useState(begun);
  const save = useSave();
  const field = errorField(save.error);
  const refused = (name: string) => (field === name ? errorMessage(save.error) : null);
  const errors = endpointErrors(draft);
  const isBlocked = draft.apiBase.trim() === "" || Object.values(errors).some((error) => error !== null);
  const set = (change: Partial<EndpointDraft>) => setDraft({ ...draft, ...change });
  const send = () =>
    save.mutate({
      done: endpoint ? `${endpoint.name} changed` : `Endpoint added to ${model.name}`,
      send: () => sendEndpoint(model, endpoint, { draft, begun }),
      onSaved: onClose,
    });
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={endpoint ? `Endpoint ${endpoint.name}` : `Add an endpoint to ${model.name}`}
      className="max-w-xl"
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" disabled={isBlocked || save.isPending} onClick={send}>
            {endpoint ? "Save" : "Add"}
          </Button>
        </>
      }
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label="API base"
          value={draft.apiBase}
          onValue={(apiBase) => set({ apiBase })}
          hint="Up to and including /v1"
          error={refused("api_base")}
          fieldClassName="sm:col-span-2"
        />
        <TextField
          label="Name"
          value={draft.name}
          onValue={(name) => set({ name })}
          placeholder="chosen for you"
          error={refused("name")}
        />
        <SelectField
          label="Protocol"
          value={draft.protocol}
          onValue={(protocol) => set({ protocol: protocol as EndpointDraft["protocol"] })}
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
          onValue={(apiKey) => set({ apiKey })}
          placeholder={endpoint?.api_key_set ? "kept as it is" : "none"}
          error={refused("api_key")}
        />
        <TextField
          label="Name at the provider"
          value={draft.upstream}
          onValue={(upstream) => set({ upstream })}
          placeholder={model.name}
          error={refused("upstream_model")}
        />
        <TextField
          label="Priority, lower first"
          inputMode="numeric"
          value={draft.priority}
          onValue={(priority) => set({ priority })}
          error={errors.priority ?? refused("priority")}
        />
        <TextField
          label="Weight"
          inputMode="numeric"
          value={draft.weight}
          onValue={(weight) => set({ weight })}
          error={errors.weight ?? refused("weight")}
        />
        <TextField
          label="Own cap"
          inputMode="numeric"
          value={draft.cap}
          onValue={(cap) => set({ cap })}
          placeholder="no cap"
          error={errors.cap ?? refused("max_in_flight")}
        />
        {save.error && field === null ? (
          <p role="alert" className="text-small text-urgent sm:col-span-2">
            {errorMessage(save.error)}
          </p>
        ) : null}
      </div>
    </Dialog>
  );
}

function sendEndpoint(model: Model, endpoint: Endpoint | null, given: { draft: EndpointDraft; begun: EndpointDraft }) {
  const { draft, begun } = given;
  if (endpoint === null) {
    const body = { ...endpointBody(draft, () => true), api_base: draft.apiBase.trim() };
    return api.call("createEndpoint", { params: { id: model.id }, body });
  }
  // Only what was touched: the rest stays as it is, whoever changed it meanwhile.
  const body = endpointBody(draft, (field) => draft[field] !== begun[field]);
  return api.call("updateEndpoint", { params: { id: model.id, eid: endpoint.id }, body });
}

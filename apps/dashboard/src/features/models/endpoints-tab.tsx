"use client";

import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { Badge } from "../../components/ui/badge";
import { Button } from "../../components/ui/button";
import { AlertDialog } from "../../components/ui/dialog";
import { Empty } from "../../components/ui/notice";
import { Panel } from "../../components/ui/panel";
import { Cell, HeadCell, Table, TableFrame } from "../../components/ui/table";
import { api, errorMessage } from "../../lib/api";
import { formatAgo, formatExact } from "../../lib/format";
import { NEEDS_ADMIN, useSession } from "../../lib/session";
import { useNow } from "../../lib/use-now";
import { useSave } from "../../lib/use-save";
import type { Versioned } from "../../queries/objects";
import type { Model } from "../../queries/wire";
import { EndpointDialog } from "./endpoint-dialog";

type Endpoint = Model["endpoints"][number];

/** Where the model's requests go, and how those places are. */
export function EndpointsTab({ model }: Readonly<{ model: Versioned<Model> }>) {
  const { data } = model;
  const { isAdmin } = useSession();
  const [editing, setEditing] = useState<Endpoint | "new" | null>(null);
  return (
    <Panel
      title="Endpoints"
      bodyClassName="p-0"
      actions={
        <Button disabled={!isAdmin} title={isAdmin ? undefined : NEEDS_ADMIN} onClick={() => setEditing("new")}>
          Add an endpoint
        </Button>
      }
    >
      {data.endpoints.length === 0 ? (
        <Empty title="No endpoint">Requests for this model have nowhere to go until it has one.</Empty>
      ) : (
        <TableFrame>
          <Table aria-label="Endpoints" isStacked>
            <thead>
              <tr>
                <HeadCell>Endpoint</HeadCell>
                <HeadCell>Health</HeadCell>
                <HeadCell isNumber>Priority</HeadCell>
                <HeadCell isNumber>Weight</HeadCell>
                <HeadCell isNumber>Cap</HeadCell>
                <HeadCell>
                  <span className="sr-only">Actions</span>
                </HeadCell>
              </tr>
            </thead>
            <tbody>
              {data.endpoints.map((endpoint) => (
                <EndpointRow key={endpoint.id} endpoint={endpoint} model={data} onEdit={() => setEditing(endpoint)} />
              ))}
            </tbody>
          </Table>
        </TableFrame>
      )}
      {editing !== null ? (
        <EndpointDialog model={data} endpoint={editing === "new" ? null : editing} onClose={() => setEditing(null)} />
      ) : null}
    </Panel>
  );
}

interface EndpointRowProps {
  endpoint: Endpoint;
  model: Model;
  onEdit: () => void;
}

function EndpointRow({ endpoint, model, onEdit }: Readonly<EndpointRowProps>) {
  return (
    <tr data-endpoint={endpoint.name} className="border-b last:border-b-0">
      <th scope="row" className="px-3 py-2 pl-4 text-left font-medium">
        <span className="block min-w-0">
          <span className="name block">{endpoint.name}</span>
          <span className="name block font-mono text-micro font-normal text-text-3">{endpoint.api_base}</span>
          <span className="block text-micro font-normal text-text-3">
            {endpoint.protocol}
            {endpoint.upstream_model ? ` as ${endpoint.upstream_model}` : ""}
            {endpoint.api_key_set ? ", key set" : ""}
          </span>
        </span>
      </th>
      <Cell stack="wide" className="min-w-56">
        <EndpointHealth endpoint={endpoint} model={model} />
      </Cell>
      <Cell isNumber label="Priority">
        {endpoint.priority}
      </Cell>
      <Cell isNumber label="Weight">
        {formatExact(endpoint.weight)}
      </Cell>
      <Cell isNumber label="Cap">
        {formatExact(endpoint.max_in_flight)}
      </Cell>
      <Cell stack="wide">
        <EndpointActions endpoint={endpoint} model={model} onEdit={onEdit} />
      </Cell>
    </tr>
  );
}

const HEALTH = {
  healthy: { shape: "ring", tone: "open", label: "Healthy" },
  unhealthy: { shape: "square", tone: "urgent", label: "Unhealthy" },
  ejected: { shape: "triangle", tone: "watch", label: "Ejected" },
  disabled: { shape: "dot", tone: "idle", label: "Off" },
  unknown: { shape: "dot", tone: "idle", label: "Not checked" },
} as const;

function EndpointHealth({ endpoint, model }: Readonly<{ endpoint: Endpoint; model: Model }>) {
  const nowMs = useNow(10_000);
  const { isAdmin } = useSession();
  const check = useMutation({
    mutationFn: async () => (await api.call("checkEndpoint", { params: { id: model.id, eid: endpoint.id } })).data,
  });
  const looks = HEALTH[endpoint.enabled ? endpoint.health.state : "disabled"];
  const message = check.data ? `${check.data.message} (${check.data.duration_ms} ms)` : endpoint.health.message;
  return (
    <div className="space-y-0.5 py-1.5">
      <span className="flex items-center gap-2">
        <Badge shape={looks.shape} tone={looks.tone}>
          {looks.label}
        </Badge>
        <Button
          size="small"
          variant="ghost"
          disabled={!isAdmin || check.isPending}
          title={isAdmin ? undefined : NEEDS_ADMIN}
          onClick={() => check.mutate()}
        >
          {check.isPending ? "Checking" : "Check now"}
        </Button>
      </span>
      <p className="name text-micro text-text-3">
        {check.error ? errorMessage(check.error) : message}
        {!check.data && endpoint.health.checked_at
          ? ` ${formatAgo(nowMs - Date.parse(endpoint.health.checked_at))}`
          : ""}
      </p>
    </div>
  );
}

function EndpointActions({ endpoint, model, onEdit }: Readonly<EndpointRowProps>) {
  const { isAdmin } = useSession();
  const [asking, setAsking] = useState<"disable" | "remove" | null>(null);
  const save = useSave();
  const isLast = endpoint.enabled && model.endpoints.filter((one) => one.enabled).length === 1;
  const params = { id: model.id, eid: endpoint.id };
  const setEnabled = (enabled: boolean) =>
    save.mutate({
      done: `${endpoint.name} is ${enabled ? "on" : "off"}`,
      send: () => api.call("updateEndpoint", { params, body: { enabled } }),
      onSaved: () => setAsking(null),
      isUnplaced: enabled,
    });
  const remove = () =>
    save.mutate({
      done: `${endpoint.name} removed`,
      send: () => api.call("deleteEndpoint", { params }),
      onSaved: () => setAsking(null),
    });
  return (
    <span className="flex justify-end gap-1">
      <Button size="small" variant="ghost" disabled={!isAdmin} onClick={onEdit}>
        Edit
      </Button>
      <Button
        size="small"
        variant="ghost"
        disabled={!isAdmin || save.isPending}
        onClick={() => (endpoint.enabled ? setAsking("disable") : setEnabled(true))}
      >
        {endpoint.enabled ? "Turn off" : "Turn on"}
      </Button>
      <Button size="small" variant="ghost" disabled={!isAdmin} onClick={() => setAsking("remove")}>
        Remove
      </Button>
      <AlertDialog
        isOpen={asking !== null}
        title={asking === "remove" ? `Remove ${endpoint.name}?` : `Turn off ${endpoint.name}?`}
        confirmLabel={asking === "remove" ? "Remove" : "Turn off"}
        isPending={save.isPending}
        onCancel={() => setAsking(null)}
        onConfirm={() => (asking === "remove" ? remove() : setEnabled(false))}
      >
        <p>
          {isLast
            ? "It is the last one: without it the model has no servers and new requests are refused."
            : "New requests go to the other endpoints. Running ones are not cut."}
        </p>
        {save.error ? <p role="alert">{errorMessage(save.error)}</p> : null}
      </AlertDialog>
    </span>
  );
}

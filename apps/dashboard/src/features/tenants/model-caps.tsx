"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useState } from "react";
import { Button } from "../../components/ui/button";
import { INPUT } from "../../components/ui/field";
import { Panel } from "../../components/ui/panel";
import { Cell, HeadCell, Table, TableFrame } from "../../components/ui/table";
import { api, errorMessage } from "../../lib/api";
import { cn } from "../../lib/cn";
import { formatExact } from "../../lib/format";
import { useSession } from "../../lib/session";
import { useSave } from "../../lib/use-save";
import { parseSlots } from "../../lib/weight";
import { modelsQuery } from "../../queries/objects";
import type { Live, Tenant } from "../../queries/wire";

/** Caps on single models, which replace the tenant's own there. */
export function ModelCaps({ tenant, live }: Readonly<{ tenant: Tenant; live: Live | undefined }>) {
  const { isAdmin } = useSession();
  const save = useSave();
  const remove = (model: string) =>
    save.mutate({
      done: `${tenant.name}: cap on ${model} as the tenant`,
      send: () => api.call("deleteModelCap", { params: { id: tenant.id, model } }),
    });
  return (
    <Panel title="Caps by model" bodyClassName="p-0">
      {tenant.model_caps.length === 0 ? (
        <p className="px-4 py-4 text-small text-text-2">None: its cap on every model counts everywhere.</p>
      ) : null}
      {tenant.model_caps.length > 0 ? (
        <TableFrame>
          <Table aria-label="Caps by model" isStacked>
            <thead>
              <tr>
                <HeadCell>Model</HeadCell>
                <HeadCell isNumber>Cap</HeadCell>
                <HeadCell isNumber>In use</HeadCell>
                <HeadCell>
                  <span className="sr-only">Actions</span>
                </HeadCell>
              </tr>
            </thead>
            <tbody>
              {tenant.model_caps.map((cap) => {
                const here = live?.pools
                  .find((pool) => pool.model === cap.model)
                  ?.tenants?.find((one) => one.tenant_id === tenant.id);
                return (
                  <tr key={cap.model} data-model-cap={cap.model} className="border-b last:border-b-0">
                    <th scope="row" className="h-(--row) px-3 pl-4 text-left font-medium">
                      <Link
                        className="name hover:underline"
                        href={`/fairshare?pool=${encodeURIComponent(cap.model)}&tenant=${tenant.id}`}
                      >
                        {cap.model}
                      </Link>
                    </th>
                    <Cell isNumber label="Cap">
                      {cap.max_in_flight === null ? "no cap" : formatExact(cap.max_in_flight)}
                    </Cell>
                    <Cell isNumber label="In use">
                      {formatExact(here === undefined ? 0 : here.in_flight + here.held)}
                    </Cell>
                    <Cell stack="wide" className="text-right">
                      <Button
                        size="small"
                        variant="ghost"
                        disabled={!isAdmin || save.isPending}
                        onClick={() => remove(cap.model)}
                      >
                        Remove
                      </Button>
                    </Cell>
                  </tr>
                );
              })}
            </tbody>
          </Table>
        </TableFrame>
      ) : null}
      <AddCap tenant={tenant} />
      {save.error ? (
        <p role="alert" className="px-4 pb-3 text-small text-urgent">
          {errorMessage(save.error)}
        </p>
      ) : null}
    </Panel>
  );
}

function AddCap({ tenant }: Readonly<{ tenant: Tenant }>) {
  const { isAdmin } = useSession();
  const models = useQuery(modelsQuery()).data?.items ?? [];
  const [model, setModel] = useState("");
  const [slots, setSlots] = useState("");
  const save = useSave();
  const parsed = slots.trim() === "" ? { value: null } : parseSlots(slots);
  const add = () => {
    if (!("value" in parsed)) return;
    save.mutate({
      done: `${tenant.name}: cap on ${model} ${parsed.value ?? "none"}`,
      send: () => api.call("setModelCap", { params: { id: tenant.id, model }, body: { max_in_flight: parsed.value } }),
      onSaved: () => {
        setModel("");
        setSlots("");
      },
    });
  };
  return (
    <div className="flex flex-wrap items-center gap-2 border-t p-4">
      <select
        aria-label="Model"
        value={model}
        disabled={!isAdmin}
        onChange={(event) => setModel(event.target.value)}
        className={cn(INPUT, "w-48")}
      >
        <option value="">Choose a model</option>
        {models.map((one) => (
          <option key={one.id} value={one.name}>
            {one.name}
          </option>
        ))}
      </select>
      <input
        aria-label="Cap in slots"
        inputMode="numeric"
        placeholder="no cap"
        value={slots}
        disabled={!isAdmin}
        onChange={(event) => setSlots(event.target.value)}
        className={cn(INPUT, "num w-24")}
      />
      <Button disabled={!isAdmin || model === "" || "error" in parsed || save.isPending} onClick={add}>
        Set the cap
      </Button>
      {"error" in parsed ? <span className="text-micro text-urgent">{parsed.error}</span> : null}
      {save.error ? (
        <span role="alert" className="text-micro text-urgent">
          {errorMessage(save.error)}
        </span>
      ) : null}
    </div>
  );
}

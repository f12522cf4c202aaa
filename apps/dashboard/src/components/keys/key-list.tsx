"use client";

import { useQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { parseAsBoolean, parseAsString, parseAsStringLiteral, useQueryState, useQueryStates } from "nuqs";
import { type ReactNode, useMemo, useState } from "react";
import { isUnused, keyState } from "../../lib/key-rows";
import { NEEDS_ADMIN, useSession } from "../../lib/session";
import { useNow } from "../../lib/use-now";
import { keysQuery } from "../../queries/keys";
import type { Key } from "../../queries/wire";
import { CutNote } from "../table/cut-note";
import { ObjectTable } from "../table/object-table";
import { TextFilter } from "../table/text-filter";
import { Toggle } from "../table/toggle";
import { useSorting } from "../table/use-sorting";
import { Button } from "../ui/button";
import { Failure } from "../ui/failure";
import { Empty } from "../ui/notice";
import { Panel } from "../ui/panel";
import { SkeletonRows } from "../ui/skeleton";
import { keyColumns } from "./key-columns";

const KeyPanel = dynamic(() => import("./key-panel").then((module) => module.KeyPanel), { ssr: false });
const NewKey = dynamic(() => import("./new-key").then((module) => module.NewKey), { ssr: false });

interface KeyListProps {
  /** Only this tenant's keys, which can be made here; null: all. */
  tenant: { readonly id: string; readonly name: string } | null;
}

const params = {
  q: parseAsString.withDefault("").withOptions({ history: "replace", throttleMs: 200 }),
  state: parseAsStringLiteral(["active", "disabled", "expired", "rotating"]).withOptions({ history: "replace" }),
  unused: parseAsBoolean.withDefault(false).withOptions({ history: "replace" }),
};

/** Keys with what they are used for, and their panel. */
export function KeyList({ tenant }: Readonly<KeyListProps>) {
  const { data, error, refetch } = useQuery(keysQuery(tenant?.id ?? null));
  const [open, setOpen] = useQueryState("key", parseAsString.withOptions({ history: "push" }));
  const [isMaking, setIsMaking] = useState(false);
  const { isAdmin } = useSession();
  const make = (
    <Button
      variant="primary"
      disabled={!isAdmin}
      title={isAdmin ? undefined : NEEDS_ADMIN}
      onClick={() => setIsMaking(true)}
    >
      Make a key
    </Button>
  );
  return (
    <>
      <Panel label="Keys" bodyClassName="p-0">
        {error && !data ? <Failure what="Cannot read the keys" error={error} onRetry={() => void refetch()} /> : null}
        {data ? (
          <KeyRows keys={data.items} withTenant={tenant === null} make={make} />
        ) : error ? null : (
          <SkeletonRows rows={4} label="Reading the keys" />
        )}
        {data ? <CutNote list={data} what="keys" /> : null}
      </Panel>
      {open === null ? null : <KeyPanel id={open} onClose={() => void setOpen(null)} />}
      {isMaking ? <NewKey tenant={tenant} onClose={() => setIsMaking(false)} /> : null}
    </>
  );
}

interface KeyRowsProps {
  keys: readonly Key[];
  withTenant: boolean;
  /** The button that makes one. */
  make: ReactNode;
}

function KeyRows({ keys, withTenant, make }: Readonly<KeyRowsProps>) {
  const [query, setQuery] = useQueryStates(params);
  const [sorting, setSorting] = useSorting({ key: "name", direction: "asc" });
  const nowMs = useNow(10_000);
  const columns = useMemo(() => keyColumns({ withTenant, nowMs }), [withTenant, nowMs]);
  const shown = useMemo(() => {
    const text = query.q.trim().toLowerCase();
    return keys
      .filter((key) => query.state === null || keyState(key, nowMs) === query.state)
      .filter((key) => !query.unused || isUnused(key, nowMs))
      .filter((key) => `${key.name} ${key.prefix} ${key.tenant_name}`.toLowerCase().includes(text));
  }, [keys, query, nowMs]);
  if (keys.length === 0)
    return (
      <Empty title="No keys yet" action={make}>
        Clients sign in with a key; it belongs to one tenant and is shown once.
      </Empty>
    );
  const toggle = (state: "disabled" | "rotating") => void setQuery({ state: query.state === state ? null : state });
  return (
    <>
      <div className="flex flex-wrap items-center gap-2 p-4">
        <TextFilter
          label="Filter by name, prefix or tenant"
          value={query.q}
          onValue={(q) => void setQuery({ q: q === "" ? null : q })}
        />
        <Toggle
          label="Unused 30 d"
          isOn={query.unused}
          onToggle={() => void setQuery({ unused: query.unused ? null : true })}
        />
        <Toggle label="Disabled" isOn={query.state === "disabled"} onToggle={() => toggle("disabled")} />
        <Toggle label="In rotation" isOn={query.state === "rotating"} onToggle={() => toggle("rotating")} />
        <span className="sm:ml-auto">{make}</span>
      </div>
      {shown.length === 0 ? (
        <Empty
          title="No key matches"
          action={
            <Button onClick={() => void setQuery({ q: null, state: null, unused: null })}>Clear the filters</Button>
          }
        />
      ) : (
        <ObjectTable
          label="Keys"
          rows={shown}
          columns={columns}
          idOf={(key) => key.id}
          sorting={sorting}
          onSorting={setSorting}
        />
      )}
    </>
  );
}

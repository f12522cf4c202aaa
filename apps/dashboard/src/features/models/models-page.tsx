"use client";

import { useQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { parseAsBoolean, parseAsString, parseAsStringLiteral, useQueryStates } from "nuqs";
import { useMemo } from "react";
import { PageHeader } from "../../components/layout/page-header";
import { CutNote } from "../../components/table/cut-note";
import { ObjectTable } from "../../components/table/object-table";
import { TextFilter } from "../../components/table/text-filter";
import { Toggle } from "../../components/table/toggle";
import { useSorting } from "../../components/table/use-sorting";
import { Button } from "../../components/ui/button";
import { Failure } from "../../components/ui/failure";
import { INPUT } from "../../components/ui/field";
import { Empty } from "../../components/ui/notice";
import { Panel } from "../../components/ui/panel";
import { SkeletonRows } from "../../components/ui/skeleton";
import { cn } from "../../lib/cn";
import { NEEDS_ADMIN, useSession } from "../../lib/session";
import { modelsQuery } from "../../queries/objects";
import { usageSummaryQuery } from "../../queries/usage";
import { useLive } from "../../queries/use-live";
import { type ModelRow, matchesModel, modelRows, modelsAnswer } from "./logic/model-rows";
import { modelColumns } from "./model-columns";

const NewModel = dynamic(() => import("./new-model").then((module) => module.NewModel), { ssr: false });
const ImportModels = dynamic(() => import("./import-models").then((module) => module.ImportModels), { ssr: false });

const params = {
  q: parseAsString.withDefault("").withOptions({ history: "replace", throttleMs: 200 }),
  mode: parseAsStringLiteral(["static", "tuned", "discovered"]).withOptions({ history: "replace" }),
  state: parseAsStringLiteral(["serving", "no_servers", "off"]).withOptions({ history: "replace" }),
  waits: parseAsBoolean.withDefault(false).withOptions({ history: "replace" }),
  new: parseAsBoolean.withDefault(false),
  import: parseAsBoolean.withDefault(false),
};

/** Which models can serve now, and which pools are too small. */
export function ModelsPage() {
  const { data, error, refetch } = useQuery(modelsQuery());
  const live = useLive()?.live;
  const usage = useQuery(usageSummaryQuery({ by: "model", limit: 1000 })).data;
  const [query, setQuery] = useQueryStates(params);
  const { isAdmin } = useSession();
  const rows = useMemo(() => modelRows(data?.items ?? [], live?.pools ?? [], usage?.rows ?? []), [data, live, usage]);
  return (
    <>
      <PageHeader
        title="Models"
        answer={data ? modelsAnswer(rows) : ""}
        actions={
          <>
            <Button asChild>
              <a href="/api/v1/models/export" download="models.json">
                Export
              </a>
            </Button>
            <Button
              disabled={!isAdmin}
              title={isAdmin ? undefined : NEEDS_ADMIN}
              onClick={() => void setQuery({ import: true })}
            >
              Import
            </Button>
            <Button
              variant="primary"
              disabled={!isAdmin}
              title={isAdmin ? undefined : NEEDS_ADMIN}
              onClick={() => void setQuery({ new: true })}
            >
              Add a model
            </Button>
          </>
        }
      />
      <Panel label="Models" bodyClassName="p-0">
        {error && !data ? <Failure what="Cannot read the models" error={error} onRetry={() => void refetch()} /> : null}
        {data ? <ModelList rows={rows} /> : error ? null : <SkeletonRows rows={6} label="Reading the models" />}
        {data ? <CutNote list={data} what="models" /> : null}
      </Panel>
      {query.new && isAdmin ? <NewModel onClose={() => void setQuery({ new: null })} /> : null}
      {query.import && isAdmin ? <ImportModels onClose={() => void setQuery({ import: null })} /> : null}
    </>
  );
}

function ModelList({ rows }: Readonly<{ rows: readonly ModelRow[] }>) {
  const [query, setQuery] = useQueryStates(params);
  const [sorting, setSorting] = useSorting({ key: "name", direction: "asc" });
  const columns = useMemo(() => modelColumns(), []);
  const shown = useMemo(
    () =>
      rows.filter((row) =>
        matchesModel(row, { text: query.q, mode: query.mode, state: query.state, isWaitingOnly: query.waits }),
      ),
    [rows, query],
  );
  if (rows.length === 0) {
    return (
      <Empty title="No models yet">
        Add one: its name is what clients ask for, and it gets a pool of slots of its own.
      </Empty>
    );
  }
  return (
    <>
      <div className="flex flex-wrap items-center gap-2 p-4">
        <TextFilter
          label="Filter by name or alias"
          value={query.q}
          onValue={(q) => void setQuery({ q: q === "" ? null : q })}
        />
        <select
          aria-label="State"
          value={query.state ?? ""}
          onChange={(event) => void setQuery({ state: (event.target.value || null) as typeof query.state })}
          className={cn(INPUT, "w-36")}
        >
          <option value="">Any state</option>
          <option value="serving">Serving</option>
          <option value="no_servers">No servers</option>
          <option value="off">Off</option>
        </select>
        <select
          aria-label="Capacity mode"
          value={query.mode ?? ""}
          onChange={(event) => void setQuery({ mode: (event.target.value || null) as typeof query.mode })}
          className={cn(INPUT, "w-48")}
        >
          <option value="">Any capacity mode</option>
          <option value="static">Static</option>
          <option value="tuned">Tuned</option>
          <option value="discovered">Discovered</option>
        </select>
        <Toggle
          label="Waits a lot"
          isOn={query.waits}
          onToggle={() => void setQuery({ waits: query.waits ? null : true })}
        />
      </div>
      {shown.length === 0 ? (
        <Empty
          title="No model matches"
          action={
            <Button onClick={() => void setQuery({ q: null, mode: null, state: null, waits: null })}>
              Clear the filters
            </Button>
          }
        />
      ) : (
        <ObjectTable
          label="Models"
          rows={shown}
          columns={columns}
          idOf={(row) => row.model.id}
          sorting={sorting}
          onSorting={setSorting}
        />
      )}
    </>
  );
}

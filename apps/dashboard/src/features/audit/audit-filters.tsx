"use client";

import { AUDIT_OBJECTS } from "@obleth/contract/audit-objects";
import { useQueryStates } from "nuqs";
import { TextFilter } from "../../components/table/text-filter";
import { Button } from "../../components/ui/button";
import { INPUT } from "../../components/ui/field";
import { cn } from "../../lib/cn";
import { auditParams } from "./search-params";

const NO_FILTER = { q: null, kind: null, actor: null, object: null, range: null };

/** By text, kind, actor and age; an object is named by the link that led here. */
export function AuditFilters({ actors }: Readonly<{ actors: readonly string[] }>) {
  const [query, setQuery] = useQueryStates(auditParams);
  const isFiltered = query.q !== "" || [query.kind, query.actor, query.object, query.range].some(Boolean);
  const named = query.actor === null || actors.includes(query.actor) ? actors : [query.actor, ...actors];
  return (
    <div className="flex flex-wrap items-center gap-2 p-4">
      <TextFilter label="Search changes" value={query.q} onValue={(q) => void setQuery({ q: q === "" ? null : q })} />
      <Choice
        label="Kind"
        any="Any kind"
        value={query.kind}
        options={AUDIT_OBJECTS.map((kind) => [kind, kind.replaceAll("_", " ")])}
        onValue={(kind) => void setQuery({ kind: kind as typeof query.kind })}
      />
      <Choice
        label="Who"
        any="Anybody"
        value={query.actor}
        options={named.map((actor) => [actor, actor])}
        onValue={(actor) => void setQuery({ actor })}
      />
      <Choice
        label="When"
        any="Any time"
        value={query.range}
        options={[
          ["1h", "Last hour"],
          ["24h", "Last 24 hours"],
          ["7d", "Last 7 days"],
        ]}
        onValue={(range) => void setQuery({ range: range as typeof query.range })}
      />
      {isFiltered ? (
        <Button variant="ghost" onClick={() => void setQuery(NO_FILTER)}>
          Clear the filters
        </Button>
      ) : null}
    </div>
  );
}

interface ChoiceProps {
  label: string;
  any: string;
  value: string | null;
  options: readonly (readonly [value: string, label: string])[];
  onValue: (value: string | null) => void;
}

function Choice({ label, any, value, options, onValue }: Readonly<ChoiceProps>) {
  return (
    <select
      aria-label={label}
      value={value ?? ""}
      onChange={(event) => onValue(event.target.value || null)}
      className={cn(INPUT, "w-40")}
    >
      <option value="">{any}</option>
      {options.map(([one, words]) => (
        <option key={one} value={one}>
          {words}
        </option>
      ))}
    </select>
  );
}

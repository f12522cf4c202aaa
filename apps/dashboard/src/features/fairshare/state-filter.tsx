"use client";

import { Search } from "lucide-react";
import { useLayoutEffect, useRef } from "react";
import { cn } from "../../lib/cn";
import { formatCount } from "../../lib/format";
import { FILTER_STATES, type FilterState, type PoolTotals } from "../../lib/pool-state";

const LABELS: Record<FilterState, string> = {
  full: "Full",
  busy: "Busy",
  open: "Open",
  idle: "Idle",
  no_servers: "No servers",
};

interface StateFilterProps {
  totals: PoolTotals;
  states: readonly FilterState[];
  onStates: (states: FilterState[]) => void;
  text: string;
  onText: (text: string) => void;
}

/** Narrows the list by text and by state; each state says how many pools it has. */
export function StateFilter({ totals, states, onStates, text, onText }: Readonly<StateFilterProps>) {
  const toggle = (state: FilterState) =>
    onStates(states.includes(state) ? states.filter((other) => other !== state) : [...states, state]);
  const input = useRef<HTMLInputElement>(null);
  const isNew = useRef(true);
  useLayoutEffect(() => {
    // What was typed before the page's scripts ran stands in the field and nowhere else; the next render would undo it.
    const typed = input.current?.value ?? "";
    if (isNew.current && typed !== text) onText(typed);
    isNew.current = false;
  }, [text, onText]);
  return (
    <div className="flex flex-wrap items-center gap-2">
      <label className="relative block w-full sm:w-64">
        <span className="sr-only">Filter pools by name</span>
        <Search className="pointer-events-none absolute top-2 left-2.5 size-4 text-text-3" aria-hidden="true" />
        <input
          ref={input}
          data-filter
          type="search"
          value={text}
          onChange={(event) => onText(event.target.value)}
          placeholder="Filter by name"
          className="h-8 w-full rounded-control border border-edge bg-card pr-2 pl-8 text-small"
        />
      </label>
      <fieldset aria-label="Filter by state" className="flex flex-wrap gap-1">
        <FilterButton label="All" count={totals.pools} isOn={states.length === 0} onClick={() => onStates([])} />
        {FILTER_STATES.map((state) => (
          <FilterButton
            key={state}
            label={LABELS[state]}
            count={totals.byState[state]}
            isOn={states.includes(state)}
            onClick={() => toggle(state)}
          />
        ))}
      </fieldset>
    </div>
  );
}

interface FilterButtonProps {
  label: string;
  count: number;
  isOn: boolean;
  onClick: () => void;
}

function FilterButton({ label, count, isOn, onClick }: Readonly<FilterButtonProps>) {
  return (
    <button
      type="button"
      aria-pressed={isOn}
      onClick={onClick}
      className={cn(
        "flex h-8 items-center gap-1.5 rounded-control border px-2.5 text-small",
        isOn ? "border-text bg-text text-bg" : "border-line text-text-2 hover:bg-subtle hover:text-text",
      )}
    >
      {label}
      <span className={cn("num text-micro", isOn ? "text-bg" : "text-text-3")}>{formatCount(count)}</span>
    </button>
  );
}

"use client";

import { TextFilter } from "../../components/table/text-filter";
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
  return (
    <div className="flex flex-wrap items-center gap-2">
      <TextFilter label="Filter pools by name" value={text} onValue={onText} />
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

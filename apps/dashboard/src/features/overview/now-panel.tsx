import type { ReactNode } from "react";
import { Value } from "../../components/ui/value";
import { formatPercent, formatWait } from "../../lib/format";
import type { Overview } from "../../queries/wire";

/** The whole installation at this moment, in five numbers. */
export function NowPanel({ overview }: Readonly<{ overview: Overview }>) {
  const inUse = overview.in_flight + overview.held;
  const part = overview.max_in_flight > 0 ? inUse / overview.max_in_flight : 0;
  return (
    <dl className="grid grid-cols-2 overflow-hidden rounded-panel border bg-card sm:grid-cols-3 md:grid-cols-5">
      <Figure label="In use">
        <Value field="in_use" value={inUse} isExact className="text-display" />
        <span className="text-text-2">
          of <Value field="max_in_flight" value={overview.max_in_flight} isExact /> ({formatPercent(part)})
        </span>
      </Figure>
      <Figure label="Waiting">
        <Value field="queued" value={overview.queued} className="text-display" />
      </Figure>
      <Figure label="Oldest wait">
        <Value
          field="oldest_wait_ms"
          value={overview.oldest_wait_ms}
          text={formatWait(overview.oldest_wait_ms)}
          missing="Nothing waits"
          className="text-display"
        />
      </Figure>
      <Figure label="Tenants with work">
        <Value field="tenants_active" value={overview.tenants_active} className="text-display" />
      </Figure>
      <Figure label="Ceiling">
        <Value field="in_use" value={inUse} isExact className="text-display" />
        <span className="text-text-2">
          of <Value field="hard_ceiling" value={overview.hard_ceiling} isExact />
        </span>
      </Figure>
    </dl>
  );
}

function Figure({ label, children }: Readonly<{ label: string; children: ReactNode }>) {
  return (
    <div className="-mt-px -ml-px border-t border-l px-4 py-3">
      <dt className="text-micro text-text-3">{label}</dt>
      <dd className="num mt-0.5 flex flex-wrap items-baseline gap-x-2 text-small">{children}</dd>
    </div>
  );
}

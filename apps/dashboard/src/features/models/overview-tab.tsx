"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useMemo } from "react";
import { Panel } from "../../components/ui/panel";
import { formatCount, formatExact, formatPercent, formatWait } from "../../lib/format";
import { useNow } from "../../lib/use-now";
import { usageSummaryQuery } from "../../queries/usage";
import type { LivePool, Model } from "../../queries/wire";
import { affinityWord } from "./logic/affinity-draft";

const HOUR_MS = 3_600_000;
const STEP_MS = 30_000;

/** A model at a glance: its servers, its last hour, who has its slots, and how it is set. */
export function OverviewTab({ model, pool }: Readonly<{ model: Model; pool: LivePool | undefined }>) {
  return (
    <div className="grid grid-cols-1 items-start gap-4 md:grid-cols-2">
      <LastHour model={model.name} />
      <Setup model={model} />
      {pool && pool.groups.length > 0 ? <Groups pool={pool} /> : null}
    </div>
  );
}

function LastHour({ model }: Readonly<{ model: string }>) {
  const nowMs = useNow(STEP_MS);
  const from = useMemo(() => new Date(nowMs - HOUR_MS).toISOString(), [nowMs]);
  const { data } = useQuery({ ...usageSummaryQuery({ by: "model", model, from }), enabled: nowMs > 0 });
  const total = data?.total;
  const waited = total && total.requests > 0 ? (total.queued + total.timed_out) / total.requests : null;
  return (
    <Facts
      title="Last hour"
      facts={[
        ["Requests", formatCount(total?.requests)],
        ["Waited", formatPercent(waited)],
        ["Timed out", formatCount(total?.timed_out)],
        ["Wait, 95 % under", formatWait(total?.p95_wait_ms)],
        ["Worst wait", formatWait(total?.max_wait_ms)],
      ]}
    />
  );
}

function Setup({ model }: Readonly<{ model: Model }>) {
  const enabled = model.endpoints.filter((endpoint) => endpoint.enabled).length;
  return (
    <Facts
      title="Set up"
      facts={[
        ["Other names", model.aliases.join(", ") || "none"],
        ["Type", model.type],
        ["Endpoints", `${formatExact(enabled)} of ${formatExact(model.endpoints.length)} on`],
        ["Pool size", `${formatExact(model.capacity.size)}, ${model.capacity_mode}`],
        ["Session affinity", affinityWord(model.session_affinity.enabled)],
        ["Admission weight", `${formatExact(model.admission_weight)} %`],
      ]}
    />
  );
}

function Groups({ pool }: Readonly<{ pool: LivePool }>) {
  return (
    <Facts
      title="Slots by group"
      facts={pool.groups.map((group) => [
        group.name,
        `${formatExact(group.in_flight + group.held)} in use, share ${formatExact(group.slot_cap)}`,
      ])}
      more={
        <Link className="link text-small" href={`/fairshare?pool=${encodeURIComponent(pool.model)}`}>
          Who waits, and why
        </Link>
      }
    />
  );
}

interface FactsProps {
  title: string;
  facts: readonly (readonly [label: string, value: string])[];
  more?: React.ReactNode;
}

function Facts({ title, facts, more }: Readonly<FactsProps>) {
  return (
    <Panel title={title} bodyClassName="space-y-3 p-4 text-small">
      <dl className="grid grid-cols-[fit-content(60%)_minmax(0,1fr)] gap-x-6 gap-y-1.5">
        {facts.map(([label, value]) => (
          <div key={label} className="contents">
            <dt className="name text-text-2">{label}</dt>
            <dd className="name num text-right">{value}</dd>
          </div>
        ))}
      </dl>
      {more}
    </Panel>
  );
}

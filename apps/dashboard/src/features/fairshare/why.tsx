"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { Failure } from "../../components/ui/failure";
import { Skeleton } from "../../components/ui/skeleton";
import { formatDuration, formatExact, formatWait, plural, zoneName } from "../../lib/format";
import { usePreferences } from "../../lib/preferences";
import { ordinal } from "../../lib/standing";
import { explainQuery } from "../../queries/fairshare";
import type { Explanation, LiveTenant } from "../../queries/wire";
import { actionHref } from "./logic/action-links";

/** The gateway's explanation as it was when it was asked for; it stays still while it is read. */
export function Why({ pool, tenant }: Readonly<{ pool: string; tenant: Pick<LiveTenant, "tenant_id" | "name"> }>) {
  const { clock } = usePreferences();
  const asked = { pool, tenant_id: tenant.tenant_id, time_zone: zoneName(clock) };
  const { data, error, refetch } = useQuery(explainQuery(asked));
  if (error) return <Failure what="Cannot read why" error={error} onRetry={() => void refetch()} />;
  const explanation = data?.explanations[0];
  if (data === undefined) return <Skeleton className="h-24" />;
  if (explanation === undefined) return <p>{tenant.name} has nothing waiting here.</p>;
  return <WhyText pool={pool} explanation={explanation} asOfMs={data.ts_ms} />;
}

interface WhyTextProps {
  pool: string;
  explanation: Explanation;
  /** Of the explanation, by the gateway's clock. */
  asOfMs: number;
}

const SHOWN_HOLDERS = 5;

function WhyText({ pool, explanation, asOfMs }: Readonly<WhyTextProps>) {
  const holders = explanation.holders.slice(0, SHOWN_HOLDERS);
  const more = explanation.holders.length - holders.length;
  const note = explanation.notes[0];
  return (
    <div className="space-y-3" data-reason={explanation.reason}>
      <p>{explanation.text}</p>
      {explanation.breakdown_text ? <p className="text-text-2">{explanation.breakdown_text}</p> : null}
      {note ? <p className="text-text-2">{note.text}</p> : null}
      {holders.length > 0 ? (
        <section aria-label="Who has slots above their share">
          <h3 className="text-micro text-text-3">Who has slots above their share</h3>
          <ul className="mt-1 space-y-0.5">
            {holders.map((holder) => (
              <li key={holder.tenant_id} className="flex justify-between gap-3">
                <span className="name">{holder.name}</span>
                <span className="num whitespace-nowrap text-text-2">
                  {formatExact(holder.slots_above)} above{since(holder.since_ts_ms, asOfMs)}
                </span>
              </li>
            ))}
          </ul>
          {more > 0 ? <p className="text-micro text-text-3">and {plural(more, "more tenant")}</p> : null}
        </section>
      ) : null}
      <WhyPace explanation={explanation} />
      <WhyActions pool={pool} explanation={explanation} />
    </div>
  );
}

function WhyPace({ explanation }: Readonly<Pick<WhyTextProps, "explanation">>) {
  const parts: string[] = [];
  const fairShare = explanation.numbers.expected_slots;
  if (typeof fairShare === "number" && fairShare > 0) parts.push(`Fair share ${fairShare.toFixed(2)} slots.`);
  if (explanation.position !== null) parts.unshift(`${ordinal(explanation.position)} in line.`);
  if (explanation.finish_gap_ms !== null)
    parts.push(`A slot frees about every ${formatDuration(explanation.finish_gap_ms)}.`);
  const estimateMs = explanation.estimated_wait_ms;
  if (estimateMs !== null) {
    parts.push(estimateMs < 1000 ? "Under a second at this pace." : `About ${formatWait(estimateMs)} at this pace.`);
  }
  return parts.length === 0 ? null : <p className="num text-micro text-text-3">{parts.join(" ")}</p>;
}

function WhyActions({ pool, explanation }: Readonly<{ pool: string; explanation: Explanation }>) {
  const actions = explanation.actions.slice(0, 2);
  if (actions.length === 0) return null;
  return (
    <ul className="flex flex-wrap gap-x-4 gap-y-1 border-t pt-2">
      {actions.map((action) => {
        const href = actionHref(action, { pool, tenantId: explanation.tenant_id });
        return (
          <li key={action.id}>
            {href === null ? (
              <span className="text-text-2">{action.label}</span>
            ) : (
              <Link className="link" href={href}>
                {action.label}
              </Link>
            )}
          </li>
        );
      })}
    </ul>
  );
}

function since(tsMs: number | null, asOfMs: number): string {
  return tsMs === null || asOfMs - tsMs < 1000 ? "" : ` for ${formatDuration(asOfMs - tsMs)}`;
}

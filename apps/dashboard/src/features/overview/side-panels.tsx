"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { Panel } from "../../components/ui/panel";
import { changeSentence } from "../../lib/audit-words";
import { formatAgo, formatTimeLeft } from "../../lib/format";
import { usePreferences } from "../../lib/preferences";
import { useSession } from "../../lib/session";
import { useIsMounted } from "../../lib/use-is-mounted";
import { useNow } from "../../lib/use-now";
import { recentChangesQuery } from "../../queries/audit";
import { boostsQuery } from "../../queries/boosts";
import { shownChanges } from "./logic/shown-changes";

const SHOWN = 5;

export function RecentChanges() {
  const { data, error } = useQuery(recentChangesQuery());
  const { email } = useSession();
  const { clock } = usePreferences();
  const nowMs = useNow(10_000);
  const zone = useIsMounted() ? clock : null;
  const rows = data && shownChanges(data.items);
  return (
    <Panel
      title="Recent changes"
      bodyClassName="p-0"
      actions={
        <Link className="link text-small" href="/audit">
          Audit
        </Link>
      }
    >
      {error && !data ? <NotRead /> : null}
      {rows?.length === 0 ? <p className="px-4 py-6 text-small text-text-2">Nothing was changed yet.</p> : null}
      <ul className="divide-y">
        {rows?.map((row) => (
          <li key={row.id} className="flex min-h-(--row) items-center gap-3 px-4 py-1 text-small">
            <span className="name min-w-0 flex-1">{changeSentence(row, zone)}</span>
            <span className="shrink-0 text-micro text-text-3">
              {row.actor === email ? "you" : row.actor}
              {nowMs === 0 ? null : `, ${formatAgo(nowMs - row.ts_ms)}`}
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

export function ActiveBoosts() {
  const { data, error } = useQuery(boostsQuery("active"));
  const nowMs = useNow(10_000);
  const boosts = data?.items.slice(0, SHOWN);
  return (
    <Panel
      title="Boosts"
      bodyClassName="p-0"
      actions={
        <Link className="link text-small" href="/boosts">
          All boosts
        </Link>
      }
    >
      {error && !data ? <NotRead /> : null}
      {boosts?.length === 0 ? <p className="px-4 py-6 text-small text-text-2">Nobody is boosted.</p> : null}
      <ul className="divide-y">
        {boosts?.map((boost) => (
          <li key={boost.id} className="flex min-h-(--row) items-center gap-3 px-4 py-1 text-small">
            <span className="name min-w-0 flex-1 truncate">
              <span className="font-medium">{boost.tenant_name}</span>{" "}
              {boost.weight === null ? `x${boost.factor}` : `weight ${boost.weight}`}
              {boost.model === null ? "" : ` on ${boost.model}`}
            </span>
            <span className="num shrink-0 text-micro text-text-3">
              {nowMs === 0 ? null : `ends in ${formatTimeLeft(Date.parse(boost.expires_at) - nowMs)}`}
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

/** None is a fact, which is not claimed of what nobody could read. */
function NotRead() {
  return <p className="px-4 py-6 text-small text-text-2">Not read: the gateway did not answer.</p>;
}

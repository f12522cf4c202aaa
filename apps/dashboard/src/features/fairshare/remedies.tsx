"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import Link from "next/link";
import { type HistoryStore, holdTotals } from "../../lib/history-series";
import { UNROUTED_POOL } from "../../lib/pool-state";
import { modelQuery } from "../../queries/objects";
import { historyKey } from "../../queries/use-history";
import type { LivePool, Model } from "../../queries/wire";
import { type PoolSituation, remedies } from "./logic/what-you-can-do";

interface RemediesProps {
  pool: LivePool;
  replicas: number;
}

/** Ranked by this pool's facts, each with its reason. */
export function Remedies({ pool, replicas }: Readonly<RemediesProps>) {
  const { data } = useQuery({ ...modelQuery(pool.model), enabled: pool.model !== UNROUTED_POOL });
  const history = useQueryClient().getQueryData<HistoryStore>(historyKey(pool.model));
  const list = remedies({
    ...situationOf(pool, replicas, data?.data),
    affinity: history === undefined ? null : holdTotals(history),
  });
  return (
    <>
      <h3 className="text-small font-medium">What you can do</h3>
      <ol className="mt-2 space-y-2">
        {list.map((remedy) => (
          <li key={remedy.id} data-remedy={remedy.id}>
            {remedy.href === null ? (
              <span className="text-text-2">{remedy.text}</span>
            ) : (
              <Link className="link" href={remedy.href}>
                {remedy.text}
              </Link>
            )}
          </li>
        ))}
        {list.length === 0 ? (
          <li>Every slot is in use and nobody is treated unfairly. The pool is as large as it was made.</li>
        ) : null}
      </ol>
    </>
  );
}

function situationOf(pool: LivePool, replicas: number, model: Model | undefined): Omit<PoolSituation, "affinity"> {
  return {
    model: pool.model,
    cap: pool.cap,
    usable: pool.usable,
    in_flight: pool.in_flight,
    held: pool.held,
    replicas,
    tenants: pool.tenants ?? [],
    capacity: model ? { mode: model.capacity_mode, isTuned: model.tuned_at !== null } : null,
  };
}

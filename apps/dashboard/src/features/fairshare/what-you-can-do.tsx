"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useState } from "react";
import { HelpTip } from "../../components/ui/help-tip";
import { UNROUTED_POOL } from "../../lib/pool-state";
import { modelQuery } from "../../queries/objects";
import type { LivePool, Model } from "../../queries/wire";
import { type PoolSituation, remedies } from "./logic/what-you-can-do";

interface WhatYouCanDoProps {
  pool: LivePool;
  replicas: number;
}

/** Beside a full pool: what would help, by this pool's facts. */
export function WhatYouCanDo({ pool, replicas }: Readonly<WhatYouCanDoProps>) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <HelpTip label={`What you can do about ${pool.model}`} onOpenChange={setIsOpen} contentClassName="w-96">
      {isOpen ? <Remedies pool={pool} replicas={replicas} /> : null}
    </HelpTip>
  );
}

function Remedies({ pool, replicas }: Readonly<WhatYouCanDoProps>) {
  const { data } = useQuery({ ...modelQuery(pool.model), enabled: pool.model !== UNROUTED_POOL });
  const list = remedies(situationOf(pool, replicas, data?.data));
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

function situationOf(pool: LivePool, replicas: number, model: Model | undefined): PoolSituation {
  return {
    model: pool.model,
    cap: pool.cap,
    usable: pool.usable,
    in_flight: pool.in_flight,
    held: pool.held,
    replicas,
    tenants: pool.tenants ?? [],
    capacity: model ? { mode: model.capacity_mode, isTuned: model.tuned_at !== null } : null,
    affinity: null,
  };
}

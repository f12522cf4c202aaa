"use client";

import type { Versioned } from "../../queries/objects";
import type { LivePool, Model } from "../../queries/wire";
import { AffinityForm } from "./affinity-form";
import { HoldChart } from "./hold-chart";
import { PoolSizeForm } from "./pool-size-form";

interface CapacityTabProps {
  model: Versioned<Model>;
  pool: LivePool | undefined;
}

/** What bounds the pool, and how sessions hold its slots. */
export function CapacityTab({ model, pool }: Readonly<CapacityTabProps>) {
  return (
    <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-2">
      <PoolSizeForm model={model} pool={pool} />
      <div className="space-y-4">
        <AffinityForm model={model} pool={pool} />
        <HoldChart model={model.data.name} />
      </div>
    </div>
  );
}

"use client";

import dynamic from "next/dynamic";
import { useState } from "react";
import { HelpTip } from "../../components/ui/help-tip";
import { Skeleton } from "../../components/ui/skeleton";
import type { LivePool } from "../../queries/wire";

const Remedies = dynamic(() => import("./remedies").then((module) => module.Remedies), {
  loading: () => <Skeleton className="h-24" />,
});

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

"use client";

import dynamic from "next/dynamic";
import { useState } from "react";
import { HelpTip } from "../../components/ui/help-tip";
import { Skeleton } from "../../components/ui/skeleton";
import type { LiveTenant } from "../../queries/wire";

const Why = dynamic(() => import("./why").then((module) => module.Why), {
  loading: () => <Skeleton className="h-24" />,
});

interface WhyTipProps {
  pool: string;
  tenant: Pick<LiveTenant, "tenant_id" | "name">;
}

/**
 * Explains why a tenant waits, or that it does not. What it says stays still while it is open, so the tip is there whether
 * or not the tenant waits at present.
 */
export function WhyTip({ pool, tenant }: Readonly<WhyTipProps>) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <HelpTip label={`Why ${tenant.name} stands so`} onOpenChange={setIsOpen} contentClassName="w-96">
      {isOpen ? <Why pool={pool} tenant={tenant} /> : null}
    </HelpTip>
  );
}

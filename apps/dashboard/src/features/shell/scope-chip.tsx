"use client";

import { Server } from "lucide-react";
import { PopoverOf, usePopover } from "../../components/ui/button-popover";
import { Glyph } from "../../components/ui/glyph";
import { cn } from "../../lib/cn";
import { formatDuration, plural } from "../../lib/format";
import { scopeChip } from "../../lib/scope";
import type { Live } from "../../queries/wire";
import { CHIP, CHIP_BUTTON } from "./chip";

/** Whether the numbers are of the whole cluster or of one gateway. */
export function ScopeChip({ live }: Readonly<{ live: Live | undefined }>) {
  const popover = usePopover();
  if (live === undefined) return <span className={cn(CHIP, "min-w-32")} />;
  const scope = scopeChip(live);
  const icon = scope.isPartial ? (
    <Glyph shape="triangle" tone="watch" className="size-2.5" />
  ) : (
    <Server className="size-3.5" aria-hidden="true" />
  );
  return (
    <>
      <button
        {...popover.buttonProps}
        type="button"
        className={cn(CHIP_BUTTON, scope.isPartial && "font-medium text-text")}
        data-scope={live.scope}
      >
        {icon}
        {scope.label}
      </button>
      <PopoverOf popover={popover} label="Whose numbers these are" className="space-y-2">
        <p>{scope.detail}</p>
        <dl className="grid grid-cols-[auto_1fr] gap-x-3 gap-y-1 text-text-2">
          <dt>Answered by</dt>
          <dd className="name font-mono text-micro text-text">{live.instance}</dd>
          <dt>Reporting</dt>
          <dd>
            {live.replicas_reporting} of {plural(live.replicas, "gateway")}
          </dd>
          <dt>Oldest report</dt>
          <dd>{formatDuration(live.state_age_ms)} old</dd>
          <dt>Limits</dt>
          <dd>{live.mode}</dd>
        </dl>
      </PopoverOf>
    </>
  );
}

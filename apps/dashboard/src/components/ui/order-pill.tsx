"use client";

import { ArrowDownUp } from "lucide-react";
import { cn } from "../../lib/cn";

/** Offers the new order; its place is kept, so nothing moves when it comes. */
export function OrderPill({ isVisible, onApply }: Readonly<{ isVisible: boolean; onApply: () => void }>) {
  return (
    <button
      type="button"
      onClick={onApply}
      className={cn(
        "inline-flex h-6 items-center gap-1.5 rounded-full border px-2 text-micro text-text-2 hover:bg-subtle hover:text-text",
        !isVisible && "invisible",
      )}
    >
      <ArrowDownUp className="size-3" aria-hidden="true" />
      Order changed, update
    </button>
  );
}

"use client";

import { Popover as Base } from "radix-ui";
import type { ComponentProps } from "react";
import { cn } from "../../lib/cn";

export const Popover = Base.Root;
export const PopoverTrigger = Base.Trigger;
export const PopoverAnchor = Base.Anchor;
export const PopoverClose = Base.Close;

export function PopoverContent({ className, ...props }: Readonly<ComponentProps<typeof Base.Content>>) {
  return (
    <Base.Portal>
      <Base.Content
        sideOffset={6}
        collisionPadding={12}
        className={cn(
          "z-50 max-h-(--radix-popover-content-available-height) w-80 max-w-[calc(100vw-24px)] overflow-auto rounded-panel border bg-card p-4 text-small text-text shadow-layer outline-none data-[state=open]:animate-in data-[state=open]:fade-in-0 data-[state=open]:duration-150",
          className,
        )}
        {...props}
      />
    </Base.Portal>
  );
}

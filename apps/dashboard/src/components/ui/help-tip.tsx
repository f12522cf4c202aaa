"use client";

import { CircleQuestionMark } from "lucide-react";
import { type ReactNode, useRef } from "react";
import { cn } from "../../lib/cn";
import { PopoverOf, usePopover } from "./button-popover";

interface HelpTipProps {
  /** What the popover explains; names the button and the popover. */
  label: string;
  children: ReactNode;
  className?: string;
  contentClassName?: string;
  onOpenChange?: (isOpen: boolean) => void;
}

const HOVER_OPEN_MS = 300;

/**
 * A "?" that explains what stands beside it: opens by click, Enter or a rest of the pointer, closes by Escape. Long tables
 * have one in each row, so there is nothing but the button until it opens.
 */
export function HelpTip({ label, children, className, contentClassName, onOpenChange }: Readonly<HelpTipProps>) {
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const popover = usePopover((isOpen) => {
    clearTimeout(timer.current);
    onOpenChange?.(isOpen);
  });
  const { onPointerEnter: prepare, ...buttonProps } = popover.buttonProps;
  return (
    <>
      <button
        {...buttonProps}
        type="button"
        aria-label={label}
        className={cn(
          "inline-grid size-6 shrink-0 place-items-center rounded-full text-text-3 hover:bg-subtle hover:text-text",
          className,
        )}
        onPointerEnter={(event) => {
          prepare?.(event);
          if (event.pointerType !== "mouse" || popover.isOpen) return;
          timer.current = setTimeout(() => popover.change(true), HOVER_OPEN_MS);
        }}
        onPointerLeave={() => clearTimeout(timer.current)}
      >
        <CircleQuestionMark className="size-4" aria-hidden="true" />
      </button>
      <PopoverOf popover={popover} label={label} className={contentClassName}>
        {children}
      </PopoverOf>
    </>
  );
}

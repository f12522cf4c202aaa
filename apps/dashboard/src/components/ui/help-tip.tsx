"use client";

import { CircleQuestionMark } from "lucide-react";
import { type ReactNode, useRef, useState } from "react";
import { cn } from "../../lib/cn";
import { Popover, PopoverContent, PopoverTrigger } from "./popover";

interface HelpTipProps {
  /** What the popover explains; names the button and the popover. */
  label: string;
  children: ReactNode;
  className?: string;
  contentClassName?: string;
  onOpenChange?: (isOpen: boolean) => void;
}

const HOVER_OPEN_MS = 300;

/** A "?" that explains what stands beside it: opens by click, Enter or a rest of the pointer, closes by Escape. */
export function HelpTip({ label, children, className, contentClassName, onOpenChange }: Readonly<HelpTipProps>) {
  const [isOpen, setIsOpen] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const change = (open: boolean) => {
    clearTimeout(timer.current);
    setIsOpen(open);
    onOpenChange?.(open);
  };
  return (
    <Popover open={isOpen} onOpenChange={change}>
      <PopoverTrigger
        aria-label={label}
        className={cn(
          "inline-grid size-6 shrink-0 place-items-center rounded-full text-text-3 hover:bg-subtle hover:text-text",
          className,
        )}
        onPointerEnter={(event) => {
          if (event.pointerType !== "mouse" || isOpen) return;
          timer.current = setTimeout(() => change(true), HOVER_OPEN_MS);
        }}
        onPointerLeave={() => clearTimeout(timer.current)}
      >
        <CircleQuestionMark className="size-4" aria-hidden="true" />
      </PopoverTrigger>
      <PopoverContent aria-label={label} className={contentClassName}>
        {children}
      </PopoverContent>
    </Popover>
  );
}

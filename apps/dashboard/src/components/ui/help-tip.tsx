"use client";

import { CircleQuestionMark } from "lucide-react";
import { type ReactNode, type RefObject, useId, useRef, useState } from "react";
import { cn } from "../../lib/cn";
import { Popover, PopoverAnchor, PopoverContent } from "./popover";

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
  const [isOpen, setIsOpen] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  const change = (open: boolean) => {
    clearTimeout(timer.current);
    setIsOpen(open);
    onOpenChange?.(open);
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        aria-label={label}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        className={cn(
          "inline-grid size-6 shrink-0 place-items-center rounded-full text-text-3 hover:bg-subtle hover:text-text",
          className,
        )}
        onClick={() => change(!isOpen)}
        onPointerEnter={(event) => {
          if (event.pointerType !== "mouse" || isOpen) return;
          timer.current = setTimeout(() => change(true), HOVER_OPEN_MS);
        }}
        onPointerLeave={() => clearTimeout(timer.current)}
      >
        <CircleQuestionMark className="size-4" aria-hidden="true" />
      </button>
      {isOpen ? (
        <Tip button={button} id={id} label={label} className={contentClassName} onClose={() => change(false)}>
          {children}
        </Tip>
      ) : null}
    </>
  );
}

interface TipProps {
  button: RefObject<HTMLButtonElement | null>;
  id: string;
  label: string;
  className: string | undefined;
  onClose: () => void;
  children: ReactNode;
}

function Tip({ button, id, label, className, onClose, children }: Readonly<TipProps>) {
  const wasLeft = useRef(false);
  return (
    <Popover open onOpenChange={onClose}>
      <PopoverAnchor virtualRef={button} />
      <PopoverContent
        id={id}
        aria-label={label}
        className={className}
        onInteractOutside={(event) => {
          // The button closes it by itself.
          if (event.target instanceof Node && button.current?.contains(event.target)) event.preventDefault();
          else wasLeft.current = true;
        }}
        onCloseAutoFocus={(event) => {
          event.preventDefault();
          if (!wasLeft.current) button.current?.focus();
        }}
      >
        {children}
      </PopoverContent>
    </Popover>
  );
}

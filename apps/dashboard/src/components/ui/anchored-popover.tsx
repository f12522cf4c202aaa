"use client";

import { type ReactNode, type RefObject, useRef } from "react";
import { Popover, PopoverAnchor, PopoverContent } from "./popover";

interface AnchoredPopoverProps {
  /** Beside it the popover stands; it gets focus back. */
  button: RefObject<HTMLButtonElement | null>;
  id: string;
  label: string;
  align: "start" | "center" | "end" | undefined;
  className: string | undefined;
  onClose: () => void;
  children: ReactNode;
}

/** An open popover beside a button that knows nothing of it. */
export function AnchoredPopover(props: Readonly<AnchoredPopoverProps>) {
  const { button, id, label, align = "center", className, onClose, children } = props;
  const wasLeft = useRef(false);
  return (
    <Popover open onOpenChange={onClose}>
      <PopoverAnchor virtualRef={button} />
      <PopoverContent
        id={id}
        aria-label={label}
        align={align}
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

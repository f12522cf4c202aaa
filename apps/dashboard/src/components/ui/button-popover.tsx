"use client";

import { type ComponentProps, type ReactNode, type RefObject, useId, useRef, useState } from "react";
import type { AnchoredPopover } from "./anchored-popover";

type Popover = typeof AnchoredPopover;

let loaded: Popover | null = null;

/** The popover's code, which no page needs before one is about to open. */
async function load(): Promise<Popover> {
  const module = await import("./anchored-popover");
  loaded = module.AnchoredPopover;
  return loaded;
}

/** What the button of a popover needs to be one; it is all there is until the popover opens. */
type ButtonProps = Pick<
  ComponentProps<"button">,
  "ref" | "onClick" | "onFocus" | "onPointerEnter" | "aria-haspopup" | "aria-expanded" | "aria-controls"
>;

export interface PopoverState {
  readonly isOpen: boolean;
  readonly change: (isOpen: boolean) => void;
  readonly buttonProps: ButtonProps;
  readonly button: RefObject<HTMLButtonElement | null>;
  readonly id: string;
  readonly content: Popover | null;
}

/** A popover that a button opens and closes; drawn by `PopoverOf`. */
export function usePopover(onOpenChange?: (isOpen: boolean) => void): PopoverState {
  const [isOpen, setIsOpen] = useState(false);
  const [content, setContent] = useState<Popover | null>(() => loaded);
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  const set = (open: boolean) => {
    setIsOpen(open);
    onOpenChange?.(open);
  };
  const presses = useRef(0);
  const change = (open: boolean) => {
    set(open);
    presses.current += 1;
    const press = presses.current;
    // Nothing opens when the code cannot be had; the next press asks for it again.
    const giveUp = () => press === presses.current && set(false);
    if (open && content === null) load().then((found) => setContent(() => found), giveUp);
  };
  const prepare = () => {
    if (loaded === null) load().catch(() => undefined);
  };
  const isShown = isOpen && content !== null;
  const buttonProps: ButtonProps = {
    ref: button,
    "aria-haspopup": "dialog",
    "aria-expanded": isShown,
    "aria-controls": isShown ? id : undefined,
    onClick: () => change(!isShown),
    onFocus: prepare,
    onPointerEnter: prepare,
  };
  return { isOpen, change, buttonProps, button, id, content: isShown ? content : null };
}

interface PopoverOfProps {
  popover: PopoverState;
  /** Names it. */
  label: string;
  align?: "start" | "center" | "end";
  className?: string | undefined;
  children: ReactNode | ((close: () => void) => ReactNode);
}

/** The popover itself, while it is open. */
export function PopoverOf({ popover, label, align, className, children }: Readonly<PopoverOfProps>) {
  const { content: Content, button, id, change } = popover;
  if (Content === null) return null;
  const close = () => change(false);
  return (
    <Content button={button} id={id} label={label} align={align} className={className} onClose={close}>
      {typeof children === "function" ? children(close) : children}
    </Content>
  );
}

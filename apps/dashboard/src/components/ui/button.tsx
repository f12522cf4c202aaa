"use client";

import { cva, type VariantProps } from "class-variance-authority";
import { Slot } from "radix-ui";
import { type ComponentProps, type MouseEvent, useState } from "react";
import { cn } from "../../lib/cn";

const button = cva(
  "inline-flex shrink-0 items-center justify-center gap-1.5 whitespace-nowrap rounded-control text-small font-medium transition-colors disabled:opacity-50 aria-disabled:cursor-default aria-disabled:opacity-50",
  {
    variants: {
      variant: {
        primary: "bg-text text-bg hover:bg-text-2 disabled:hover:bg-text",
        outline: "border border-edge bg-card text-text hover:bg-subtle disabled:hover:bg-card",
        ghost: "text-text-2 hover:bg-subtle hover:text-text",
        danger: "border border-urgent bg-card text-urgent hover:bg-subtle",
      },
      size: {
        small: "h-7 px-2",
        medium: "h-8 px-3",
        large: "h-9 px-4",
        icon: "size-8",
        "icon-small": "size-6",
      },
    },
    defaultVariants: { variant: "outline", size: "medium" },
  },
);

export interface ButtonProps extends ComponentProps<"button">, VariantProps<typeof button> {
  /** Renders the child element (a link) with the button's looks. */
  asChild?: boolean;
}

/**
 * A button that is disabled while it has the focus, because it waits for an answer or did all there was to do, keeps it:
 * the browser would drop it, and the next Tab would begin at the top of the page.
 */
export function Button({ className, variant, size, asChild, type, ...props }: Readonly<ButtonProps>) {
  const [hasFocus, setHasFocus] = useState(false);
  const classes = cn(button({ variant, size }), className);
  if (asChild) return <Slot.Root className={classes} {...props} />;
  const isKept = Boolean(props.disabled) && hasFocus;
  return (
    <button
      type={type ?? "button"}
      className={classes}
      {...props}
      disabled={props.disabled && !isKept}
      aria-disabled={isKept || props["aria-disabled"]}
      onClick={isKept ? refuse : props.onClick}
      onFocus={(event) => {
        setHasFocus(true);
        props.onFocus?.(event);
      }}
      onBlur={(event) => {
        setHasFocus(false);
        props.onBlur?.(event);
      }}
    />
  );
}

function refuse(event: MouseEvent): void {
  event.preventDefault();
}

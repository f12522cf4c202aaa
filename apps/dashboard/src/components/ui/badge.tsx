import type { ReactNode } from "react";
import { cn } from "../../lib/cn";
import { Glyph, type GlyphShape, type GlyphTone } from "./glyph";

const TINT: Record<GlyphTone, string> = {
  urgent: "bg-urgent/10 dark:bg-urgent/16",
  watch: "bg-watch/10 dark:bg-watch/14",
  open: "bg-open/8 dark:bg-open/14",
  below: "bg-below/10 dark:bg-below/14",
  idle: "bg-idle/8 dark:bg-idle/14",
  neutral: "bg-subtle",
};

interface BadgeProps {
  shape: GlyphShape;
  tone: GlyphTone;
  children: ReactNode;
  className?: string;
}

/** Tint, coloured shape, and the word in the text colour. */
export function Badge({ shape, tone, children, className }: Readonly<BadgeProps>) {
  return (
    <span
      className={cn(
        "inline-flex h-6 items-center gap-1.5 whitespace-nowrap rounded-control px-2 text-micro text-text",
        TINT[tone],
        className,
      )}
    >
      <Glyph shape={shape} tone={tone} className="size-2.5" />
      {children}
    </span>
  );
}

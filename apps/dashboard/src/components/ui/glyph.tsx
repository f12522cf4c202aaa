import { cn } from "../../lib/cn";

export type GlyphShape = "square" | "triangle" | "ring" | "half_diamond" | "dot" | "hatched_square" | "hollow_square";

export type GlyphTone = "urgent" | "watch" | "open" | "below" | "idle" | "neutral";

const TONE_CLASS: Record<GlyphTone, string> = {
  urgent: "text-urgent",
  watch: "text-watch",
  open: "text-open",
  below: "text-below",
  idle: "text-idle",
  neutral: "text-text-2",
};

interface GlyphProps {
  shape: GlyphShape;
  tone: GlyphTone;
  className?: string;
}

/** A state's shape. The word beside it carries the meaning; colour only comes third. */
export function Glyph({ shape, tone, className }: Readonly<GlyphProps>) {
  return (
    <svg
      viewBox="0 0 12 12"
      className={cn("size-3 shrink-0", TONE_CLASS[tone], className)}
      aria-hidden="true"
      fill="none"
      stroke="currentColor"
    >
      <Shape shape={shape} />
    </svg>
  );
}

function Shape({ shape }: Readonly<{ shape: GlyphShape }>) {
  switch (shape) {
    case "square":
      return <rect x="1" y="1" width="10" height="10" rx="1.5" fill="currentColor" stroke="none" />;
    case "triangle":
      return <path d="M6 1 11.5 11H.5Z" fill="currentColor" stroke="none" />;
    case "ring":
      return <circle cx="6" cy="6" r="4.25" strokeWidth="2" />;
    case "half_diamond":
      return (
        <>
          <path d="M6 .8 11.2 6 6 11.2.8 6Z" strokeWidth="1.4" />
          <path d="M.8 6h10.4L6 11.2Z" fill="currentColor" stroke="none" />
        </>
      );
    case "dot":
      return <circle cx="6" cy="6" r="2.75" fill="currentColor" stroke="none" />;
    case "hatched_square":
      return (
        <>
          <rect x="1.2" y="1.2" width="9.6" height="9.6" rx="1.5" strokeWidth="1.4" />
          <path d="M1.5 7 7 1.5M3.5 10.5l7-7M7.8 10.8l3-3" strokeWidth="1.2" />
        </>
      );
    case "hollow_square":
      return <rect x="1.5" y="1.5" width="9" height="9" rx="1.5" strokeWidth="1.6" />;
  }
}

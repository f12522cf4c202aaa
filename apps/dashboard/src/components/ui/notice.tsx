import type { ReactNode } from "react";
import { cn } from "../../lib/cn";
import { Glyph, type GlyphShape, type GlyphTone } from "./glyph";

const EDGE: Record<GlyphTone, string> = {
  urgent: "border-l-urgent",
  watch: "border-l-watch",
  open: "border-l-open",
  below: "border-l-below",
  idle: "border-l-idle",
  neutral: "border-l-edge",
};

interface NoticeProps {
  tone?: GlyphTone;
  shape?: GlyphShape;
  children: ReactNode;
  actions?: ReactNode;
  className?: string;
  role?: "alert" | "status";
}

/** One sentence that matters now, with what to do about it. */
export function Notice({ tone = "open", shape = "ring", children, actions, className, role }: Readonly<NoticeProps>) {
  return (
    <div
      role={role}
      className={cn(
        "flex flex-wrap items-center gap-x-3 gap-y-2 rounded-control border border-l-4 bg-card px-3 py-2 text-small",
        EDGE[tone],
        className,
      )}
    >
      <Glyph shape={shape} tone={tone} />
      <div className="min-w-0 flex-1 basis-60">{children}</div>
      {actions ? <div className="flex flex-wrap gap-2">{actions}</div> : null}
    </div>
  );
}

interface EmptyProps {
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}

/** Nothing to show: one sentence and the next step. */
export function Empty({ title, children, action }: Readonly<EmptyProps>) {
  return (
    <div className="flex flex-col items-center gap-2 px-4 py-12 text-center">
      <p className="text-body font-medium">{title}</p>
      {children ? <div className="max-w-[60ch] text-small text-text-2">{children}</div> : null}
      {action ? <div className="mt-2 flex flex-wrap justify-center gap-2">{action}</div> : null}
    </div>
  );
}

"use client";

import { type ReactNode, useId } from "react";
import { ErrorBoundary } from "react-error-boundary";
import { cn } from "../../lib/cn";
import { Button } from "./button";

interface PanelProps {
  title?: ReactNode;
  /** Names the panel when it has no visible title. */
  label?: string;
  actions?: ReactNode;
  children: ReactNode;
  className?: string;
  bodyClassName?: string;
  id?: string;
}

/** A bordered part of a page that fails alone: an error inside leaves the rest standing. */
export function Panel({ title, label, actions, children, className, bodyClassName, id }: Readonly<PanelProps>) {
  const titleId = useId();
  return (
    <section
      id={id}
      aria-label={label}
      aria-labelledby={title ? titleId : undefined}
      className={cn("min-w-0 rounded-panel border bg-card", className)}
    >
      {title || actions ? (
        <header className="flex min-h-12 flex-wrap items-center gap-x-3 gap-y-1 border-b px-4 py-2">
          {title ? (
            <h2 id={titleId} className="flex min-w-0 items-center gap-1 text-h2">
              {title}
            </h2>
          ) : null}
          {actions ? <div className="ml-auto flex flex-wrap items-center gap-2">{actions}</div> : null}
        </header>
      ) : null}
      <ErrorBoundary FallbackComponent={PanelFault}>
        <div className={cn("p-4", bodyClassName)}>{children}</div>
      </ErrorBoundary>
    </section>
  );
}

function PanelFault({ resetErrorBoundary }: Readonly<{ resetErrorBoundary: () => void }>) {
  return (
    <div role="alert" className="flex flex-wrap items-center gap-3 p-4 text-small text-text-2">
      This part of the page failed to draw. The rest still works.
      <Button size="small" onClick={resetErrorBoundary}>
        Try again
      </Button>
    </div>
  );
}

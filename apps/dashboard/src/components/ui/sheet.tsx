"use client";

import { X } from "lucide-react";
import { Dialog as Base } from "radix-ui";
import { type ReactNode, useRef } from "react";
import { cn } from "../../lib/cn";
import { useReturnFocus } from "../../lib/use-return-focus";
import { Button } from "./button";
import { Scrim, useOverPage } from "./over-page";

interface SheetFrameProps {
  title: ReactNode;
  /** Beside the title. */
  description?: ReactNode;
  onClose: () => void;
  /** `SheetBody`, and `SheetFooter` if there is one. */
  children: ReactNode;
  className?: string;
  /** The list row it belongs to: gets the focus back. */
  rowId?: string;
}

interface SheetProps extends SheetFrameProps {
  footer?: ReactNode;
}

export function Sheet({ children, footer, ...frame }: Readonly<SheetProps>) {
  return (
    <SheetFrame {...frame}>
      <SheetBody>{children}</SheetBody>
      {footer ? <SheetFooter>{footer}</SheetFooter> : null}
    </SheetFrame>
  );
}

export function SheetBody({ children }: Readonly<{ children: ReactNode }>) {
  return <div className="min-h-0 flex-1 space-y-5 overflow-y-auto overscroll-contain px-5 py-4">{children}</div>;
}

export function SheetFooter({ children }: Readonly<{ children: ReactNode }>) {
  return <footer className="border-t px-5 py-3">{children}</footer>;
}

/** A panel over the right edge; the whole screen on small ones. Focus starts on its heading. */
export function SheetFrame({ title, description, onClose, children, className, rowId }: Readonly<SheetFrameProps>) {
  const heading = useRef<HTMLHeadingElement>(null);
  return (
    <Base.Root open modal={false} onOpenChange={(open) => (open ? undefined : onClose())}>
      <Base.Portal>
        <Scrim />
        <SheetCard
          rowId={rowId}
          onOpen={() => heading.current?.focus()}
          className={cn(
            "fixed inset-y-0 right-0 z-50 flex w-full flex-col border-l bg-card shadow-layer outline-none data-[state=open]:animate-in data-[state=open]:fade-in-0 data-[state=open]:duration-150 min-[700px]:w-[480px]",
            className,
          )}
        >
          <header className="flex items-start gap-3 border-b px-5 py-4">
            <div className="min-w-0 flex-1">
              <Base.Title ref={heading} tabIndex={-1} className="name text-h2 outline-none">
                {title}
              </Base.Title>
              {description ? <div className="mt-1 text-small text-text-2">{description}</div> : null}
            </div>
            <Base.Close asChild>
              <Button variant="ghost" size="icon" aria-label="Close" className="-mt-1 -mr-2">
                <X className="size-4" aria-hidden="true" />
              </Button>
            </Base.Close>
          </header>
          {children}
        </SheetCard>
      </Base.Portal>
    </Base.Root>
  );
}

interface SheetCardProps {
  rowId: string | undefined;
  onOpen: () => void;
  className: string;
  children: ReactNode;
}

/** Mounted when the sheet opens, so that it knows what had the focus before. */
function SheetCard({ rowId, onOpen, className, children }: Readonly<SheetCardProps>) {
  const { ref, onCloseAutoFocus } = useReturnFocus(() => rowLink(rowId));
  return (
    <Base.Content
      {...useOverPage(ref)}
      onCloseAutoFocus={onCloseAutoFocus}
      aria-describedby={undefined}
      onOpenAutoFocus={(event) => {
        event.preventDefault();
        onOpen();
      }}
      className={className}
    >
      {children}
    </Base.Content>
  );
}

function rowLink(rowId: string | undefined): HTMLElement | null {
  if (rowId === undefined) return null;
  return document.querySelector<HTMLElement>(`[data-row="${CSS.escape(rowId)}"] [data-row-link]`);
}

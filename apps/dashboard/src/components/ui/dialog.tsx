"use client";

import { X } from "lucide-react";
import { AlertDialog as AlertBase, Dialog as Base } from "radix-ui";
import type { ReactNode } from "react";
import { cn } from "../../lib/cn";
import { useReturnFocus } from "../../lib/use-return-focus";
import { Button } from "./button";

const OVERLAY =
  "fixed inset-0 z-40 bg-(--scrim) data-[state=open]:animate-in data-[state=open]:fade-in-0 data-[state=open]:duration-150";
const CARD =
  "fixed top-1/2 left-1/2 z-50 max-h-[calc(100dvh-32px)] w-[calc(100vw-32px)] max-w-lg -translate-x-1/2 -translate-y-1/2 overflow-auto rounded-panel border bg-card p-5 text-body shadow-layer outline-none data-[state=open]:animate-in data-[state=open]:fade-in-0 data-[state=open]:duration-150";

interface DialogProps {
  isOpen: boolean;
  onClose: () => void;
  title: ReactNode;
  description?: ReactNode;
  children?: ReactNode;
  footer?: ReactNode;
  className?: string;
}

/** A dialog over the page; Escape and a click beside it close it. */
export function Dialog({ isOpen, onClose, title, description, children, footer, className }: Readonly<DialogProps>) {
  return (
    <Base.Root open={isOpen} onOpenChange={(open) => (open ? undefined : onClose())}>
      <Base.Portal>
        <Base.Overlay className={OVERLAY} />
        <DialogCard className={className} isDescribed={Boolean(description)}>
          <div className="flex items-start gap-3">
            <Base.Title className="min-w-0 flex-1 text-h2">{title}</Base.Title>
            <Base.Close asChild>
              <Button variant="ghost" size="icon" aria-label="Close" className="-mt-1 -mr-1">
                <X className="size-4" aria-hidden="true" />
              </Button>
            </Base.Close>
          </div>
          {description ? (
            <Base.Description className="mt-1 text-small text-text-2">{description}</Base.Description>
          ) : null}
          {children ? <div className="mt-4">{children}</div> : null}
          {footer ? <div className="mt-5 flex flex-wrap justify-end gap-2">{footer}</div> : null}
        </DialogCard>
      </Base.Portal>
    </Base.Root>
  );
}

interface DialogCardProps {
  className: string | undefined;
  isDescribed: boolean;
  children: ReactNode;
}

/** Mounted when the dialog opens, so that it knows what had the focus before. */
function DialogCard({ className, isDescribed, children }: Readonly<DialogCardProps>) {
  const returning = useReturnFocus();
  return (
    <Base.Content
      {...returning}
      className={cn(CARD, className)}
      onOpenAutoFocus={focusFirstField}
      {...(isDescribed ? {} : { "aria-describedby": undefined })}
    >
      {children}
    </Base.Content>
  );
}

/** A dialog with one way on has no Cancel to focus: its field, such as a secret, else the way on. */
function focusOnlyWay(event: Event): void {
  focusFirstField(event);
  if (event.defaultPrevented || !(event.currentTarget instanceof HTMLElement)) return;
  event.preventDefault();
  event.currentTarget.querySelector<HTMLElement>("button")?.focus();
}

/** The first field where there is one, so that typing can begin; else whatever comes first. */
function focusFirstField(event: Event): void {
  const content = event.currentTarget;
  const field = content instanceof HTMLElement ? content.querySelector<HTMLElement>("input, select, textarea") : null;
  if (field === null) return;
  event.preventDefault();
  field.focus();
}

interface AlertProps {
  isOpen: boolean;
  title: ReactNode;
  children?: ReactNode;
  confirmLabel: string;
  onConfirm: () => void;
  onCancel?: () => void;
  cancelLabel?: string;
  isPending?: boolean;
  isBlocked?: boolean;
}

/** Asks before something with consequences; Cancel has the focus. Without `onCancel` there is only one way on. */
export function AlertDialog(props: Readonly<AlertProps>) {
  const { onCancel } = props;
  return (
    <AlertBase.Root open={props.isOpen} onOpenChange={(open) => (open ? undefined : onCancel?.())}>
      <AlertBase.Portal>
        <AlertBase.Overlay className={OVERLAY} />
        <AlertCard canEscape={onCancel !== undefined}>
          <AlertBase.Title className="text-h2">{props.title}</AlertBase.Title>
          <AlertBase.Description asChild>
            <div className="mt-2 space-y-2 text-small text-text-2">{props.children}</div>
          </AlertBase.Description>
          <div className="mt-5 flex flex-wrap justify-end gap-2">
            {onCancel ? (
              <AlertBase.Cancel asChild>
                <Button>{props.cancelLabel ?? "Cancel"}</Button>
              </AlertBase.Cancel>
            ) : null}
            <Button
              variant={onCancel ? "danger" : "primary"}
              onClick={props.onConfirm}
              disabled={props.isPending || props.isBlocked}
            >
              {props.confirmLabel}
            </Button>
          </div>
        </AlertCard>
      </AlertBase.Portal>
    </AlertBase.Root>
  );
}

function AlertCard({ canEscape, children }: Readonly<{ canEscape: boolean; children: ReactNode }>) {
  const returning = useReturnFocus();
  return (
    <AlertBase.Content
      {...returning}
      className={CARD}
      {...(canEscape
        ? {}
        : { onOpenAutoFocus: focusOnlyWay, onEscapeKeyDown: (event: Event) => event.preventDefault() })}
    >
      {children}
    </AlertBase.Content>
  );
}

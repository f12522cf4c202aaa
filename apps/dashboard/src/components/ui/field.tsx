"use client";

import { Minus, Plus } from "lucide-react";
import { type ComponentProps, type ReactNode, useId } from "react";
import { cn } from "../../lib/cn";
import { Button } from "./button";

export const INPUT =
  "h-8 w-full rounded-control border border-edge bg-card px-2.5 text-small text-text placeholder:text-text-3 disabled:bg-subtle disabled:text-text-3 aria-invalid:border-urgent";

interface FieldProps {
  label: ReactNode;
  hint?: ReactNode;
  /** Why the value is refused; replaces the hint. */
  error?: string | null;
  children: (ids: { id: string; describedBy: string | undefined; isInvalid: true | undefined }) => ReactNode;
  className?: string;
}

/** A labelled control with its hint or its error beside it. */
export function Field({ label, hint, error, children, className }: Readonly<FieldProps>) {
  const id = useId();
  const noteId = `${id}-note`;
  const hasNote = Boolean(error ?? hint);
  return (
    <div className={className}>
      <label htmlFor={id} className="mb-1 block text-micro text-text-2">
        {label}
      </label>
      {children({ id, describedBy: hasNote ? noteId : undefined, isInvalid: error ? true : undefined })}
      {hasNote ? (
        <p
          id={noteId}
          className={cn("mt-1 text-micro", error ? "text-urgent" : "text-text-3")}
          role={error ? "alert" : undefined}
        >
          {error ?? hint}
        </p>
      ) : null}
    </div>
  );
}

interface TextFieldProps extends Omit<ComponentProps<"input">, "onChange" | "value"> {
  label: ReactNode;
  hint?: ReactNode;
  error?: string | null;
  value: string;
  onValue: (value: string) => void;
  fieldClassName?: string;
}

export function TextField({
  label,
  hint,
  error,
  value,
  onValue,
  className,
  fieldClassName,
  ...props
}: Readonly<TextFieldProps>) {
  return (
    <Field label={label} hint={hint} error={error ?? null} {...(fieldClassName ? { className: fieldClassName } : {})}>
      {({ id, describedBy, isInvalid }) => (
        <input
          id={id}
          aria-describedby={describedBy}
          aria-invalid={isInvalid}
          value={value}
          onChange={(event) => onValue(event.target.value)}
          className={cn(INPUT, className)}
          {...props}
        />
      )}
    </Field>
  );
}

interface SelectFieldProps extends Omit<ComponentProps<"select">, "onChange" | "value"> {
  label: ReactNode;
  hint?: ReactNode;
  error?: string | null;
  value: string;
  onValue: (value: string) => void;
  options: readonly { readonly value: string; readonly label: string }[];
  fieldClassName?: string;
}

export function SelectField({
  label,
  hint,
  error,
  value,
  onValue,
  options,
  className,
  fieldClassName,
  ...props
}: Readonly<SelectFieldProps>) {
  return (
    <Field label={label} hint={hint} error={error ?? null} {...(fieldClassName ? { className: fieldClassName } : {})}>
      {({ id, describedBy, isInvalid }) => (
        <select
          id={id}
          aria-describedby={describedBy}
          aria-invalid={isInvalid}
          value={value}
          onChange={(event) => onValue(event.target.value)}
          className={cn(INPUT, className)}
          {...props}
        >
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

interface StepperProps extends Omit<TextFieldProps, "step"> {
  /** The number one step away; the step is large unless asked to be fine. */
  step: (direction: 1 | -1, isFine: boolean) => string;
}

/** A number with buttons beside it: they and the arrow keys step, with Shift by one. */
export function Stepper({
  label,
  hint,
  error,
  value,
  onValue,
  step,
  className,
  fieldClassName,
  disabled,
  ...props
}: Readonly<StepperProps>) {
  return (
    <Field label={label} hint={hint} error={error ?? null} {...(fieldClassName ? { className: fieldClassName } : {})}>
      {({ id, describedBy, isInvalid }) => (
        <div className="flex gap-1">
          <input
            id={id}
            inputMode="numeric"
            aria-describedby={describedBy}
            aria-invalid={isInvalid}
            value={value}
            disabled={disabled}
            onChange={(event) => onValue(event.target.value)}
            onKeyDown={(event) => {
              if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
              event.preventDefault();
              onValue(step(event.key === "ArrowUp" ? 1 : -1, event.shiftKey));
            }}
            className={cn(INPUT, "num", className)}
            {...props}
          />
          {([-1, 1] as const).map((direction) => (
            <Button
              key={direction}
              size="icon"
              disabled={disabled}
              aria-label={direction === 1 ? "More" : "Less"}
              onClick={(event) => onValue(step(direction, event.shiftKey))}
            >
              {direction === 1 ? (
                <Plus className="size-4" aria-hidden="true" />
              ) : (
                <Minus className="size-4" aria-hidden="true" />
              )}
            </Button>
          ))}
        </div>
      )}
    </Field>
  );
}

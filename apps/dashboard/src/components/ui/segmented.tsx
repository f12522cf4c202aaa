"use client";

import { cn } from "../../lib/cn";

interface SegmentedProps<Value extends string> {
  label: string;
  value: Value;
  options: readonly { readonly value: Value; readonly label: string }[];
  onValue: (value: Value) => void;
  isDisabled?: boolean;
}

/** A few choices side by side, one of them taken. */
export function Segmented<Value extends string>(props: Readonly<SegmentedProps<Value>>) {
  const { label, value, options, onValue, isDisabled = false } = props;
  return (
    <fieldset
      aria-label={label}
      disabled={isDisabled}
      className="flex w-fit rounded-control border p-0.5 disabled:opacity-60"
    >
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={value === option.value}
          onClick={() => onValue(option.value)}
          className={cn(
            "h-6 rounded-[4px] px-2 text-micro text-text-2 hover:text-text",
            value === option.value && "bg-subtle text-text",
          )}
        >
          {option.label}
        </button>
      ))}
    </fieldset>
  );
}

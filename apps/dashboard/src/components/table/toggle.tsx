"use client";

import { cn } from "../../lib/cn";

interface ToggleProps {
  label: string;
  isOn: boolean;
  onToggle: () => void;
  count?: number;
}

/** A filter that is on or off. */
export function Toggle({ label, isOn, onToggle, count }: Readonly<ToggleProps>) {
  return (
    <button
      type="button"
      aria-pressed={isOn}
      onClick={onToggle}
      className={cn(
        "flex h-8 items-center gap-1.5 rounded-control border px-2.5 text-small",
        isOn ? "border-text bg-text text-bg" : "border-line text-text-2 hover:bg-subtle hover:text-text",
      )}
    >
      {label}
      {count === undefined ? null : (
        <span className={cn("num text-micro", isOn ? "text-bg" : "text-text-3")}>{count}</span>
      )}
    </button>
  );
}

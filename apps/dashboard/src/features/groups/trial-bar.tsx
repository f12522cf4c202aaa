"use client";

import { useEffect, useState } from "react";
import { INPUT } from "../../components/ui/field";
import { cn } from "../../lib/cn";
import { parseSlots } from "../../lib/weight";

interface TrialBarProps {
  size: number;
  onSize: (size: number) => void;
  isEveryone: boolean;
  onEveryone: (isEveryone: boolean) => void;
  isOpen: boolean;
  onOpen: (isOpen: boolean) => void;
}

/** A pool to try weights on, of any size, with the groups that have work or with all. */
export function TrialBar({ size, onSize, isEveryone, onEveryone, isOpen, onOpen }: Readonly<TrialBarProps>) {
  const [text, setText] = useState(String(size));
  useEffect(() => setText(String(size)), [size]);
  const type = (next: string) => {
    setText(next);
    const parsed = parseSlots(next);
    if ("value" in parsed) onSize(parsed.value);
  };
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 text-small text-text-2">
      <label className="flex items-center gap-2">
        Try on a pool of
        <input
          inputMode="numeric"
          value={text}
          onChange={(event) => type(event.target.value)}
          className={cn(INPUT, "num h-7 w-22")}
          aria-label="Slots of the trial pool"
        />
        slots
      </label>
      <label className="flex items-center gap-2">
        <input
          type="checkbox"
          className="size-4 accent-(--text)"
          checked={isEveryone}
          onChange={(event) => onEveryone(event.target.checked)}
        />
        as if all were busy
      </label>
      <button type="button" className="link" aria-expanded={isOpen} onClick={() => onOpen(!isOpen)}>
        {isOpen ? "Hide the rounding" : "Show the rounding"}
      </button>
    </div>
  );
}

"use client";

import type { ReactNode } from "react";
import { cn } from "../../lib/cn";

interface RadioCardProps {
  name: string;
  label: string;
  hint: string;
  isChecked: boolean;
  onChoose: () => void;
  /** Shown while chosen. */
  children?: ReactNode;
}

/** One of several ways to do something, with its own fields. */
export function RadioCard({ name, label, hint, isChecked, onChoose, children }: Readonly<RadioCardProps>) {
  return (
    <div className={cn("rounded-control border p-3", isChecked && "border-text")}>
      <label className="flex items-start gap-2.5">
        <input
          type="radio"
          name={name}
          checked={isChecked}
          onChange={onChoose}
          className="mt-0.5 size-4 accent-(--text)"
        />
        <span>
          <span className="block text-small font-medium">{label}</span>
          <span className="block text-micro font-normal text-text-2">{hint}</span>
        </span>
      </label>
      {isChecked && children ? <div className="mt-3 pl-6.5">{children}</div> : null}
    </div>
  );
}

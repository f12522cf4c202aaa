"use client";

import { Search } from "lucide-react";

interface TextFilterProps {
  label: string;
  value: string;
  onValue: (value: string) => void;
}

export function TextFilter({ label, value, onValue }: Readonly<TextFilterProps>) {
  return (
    <label className="relative block w-full sm:w-64">
      <span className="sr-only">{label}</span>
      <Search className="pointer-events-none absolute top-2 left-2.5 size-4 text-text-3" aria-hidden="true" />
      <input
        data-filter
        type="search"
        value={value}
        onChange={(event) => onValue(event.target.value)}
        placeholder={label}
        className="h-8 w-full rounded-control border border-edge bg-card pr-2 pl-8 text-small"
      />
    </label>
  );
}

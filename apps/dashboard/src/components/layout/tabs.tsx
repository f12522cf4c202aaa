"use client";

import { Tabs as Base } from "radix-ui";
import type { ReactNode } from "react";

interface TabsProps<Value extends string> {
  label: string;
  tabs: readonly { readonly value: Value; readonly label: string }[];
  value: Value;
  onValue: (value: Value) => void;
  children: ReactNode;
}

/** Parts of a page one at a time; the one shown is in the address. */
export function Tabs<Value extends string>({ label, tabs, value, onValue, children }: Readonly<TabsProps<Value>>) {
  return (
    <Base.Root value={value} onValueChange={(next) => onValue(next as Value)}>
      <Base.List aria-label={label} className="flex gap-1 overflow-x-auto border-b">
        {tabs.map((tab) => (
          <Base.Trigger
            key={tab.value}
            value={tab.value}
            className="-mb-px h-9 whitespace-nowrap border-b-2 border-transparent px-3 text-small text-text-2 -outline-offset-2 hover:text-text data-[state=active]:border-text data-[state=active]:font-medium data-[state=active]:text-text"
          >
            {tab.label}
          </Base.Trigger>
        ))}
      </Base.List>
      <Base.Content value={value} className="pt-4">
        {children}
      </Base.Content>
    </Base.Root>
  );
}

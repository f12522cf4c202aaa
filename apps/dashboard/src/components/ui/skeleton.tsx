"use client";

import { useEffect, useState } from "react";
import { cn } from "../../lib/cn";

const APPEAR_AFTER_MS = 150;

/** A grey block of the final size; invisible at first, so that quick answers do not flicker. */
export function Skeleton({ className }: Readonly<{ className?: string }>) {
  const [isVisible, setIsVisible] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsVisible(true), APPEAR_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  return <div aria-hidden="true" className={cn("rounded-control", isVisible && "bg-subtle", className)} />;
}

/** Rows of a table that is on its way. */
export function SkeletonRows({ rows, label }: Readonly<{ rows: number; label: string }>) {
  return (
    <div role="status" aria-label={label} className="space-y-px">
      {Array.from({ length: rows }, (_, row) => `row-${row}`).map((row) => (
        <Skeleton key={row} className="h-(--row)" />
      ))}
    </div>
  );
}

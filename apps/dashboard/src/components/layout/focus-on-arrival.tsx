"use client";

import { useEffect } from "react";

/** Moves focus once to what a page is about: its first field, or the message that explains a refusal. */
export function FocusOnArrival({ id }: Readonly<{ id: string }>) {
  useEffect(() => {
    document.getElementById(id)?.focus();
  }, [id]);
  return null;
}

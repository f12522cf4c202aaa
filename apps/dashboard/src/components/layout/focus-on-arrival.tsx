"use client";

import { useEffect } from "react";

/**
 * Moves focus once to what a page is about: its first field, or the message that explains a refusal. Who began to type
 * before the page's scripts ran stays where they are.
 */
export function FocusOnArrival({ id }: Readonly<{ id: string }>) {
  useEffect(() => {
    if (document.activeElement === document.body) document.getElementById(id)?.focus();
  }, [id]);
  return null;
}

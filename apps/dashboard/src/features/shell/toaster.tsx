"use client";

import { useTheme } from "next-themes";
import { Toaster } from "sonner";

/**
 * Toasts in the page's own colours; they wait while pointed at, focused, or while the tab is hidden. On the left, because
 * panels open on the right and what was just saved there can be put back there.
 */
export function ConsoleToaster() {
  const { resolvedTheme } = useTheme();
  return (
    <Toaster
      theme={resolvedTheme === "dark" ? "dark" : "light"}
      position="bottom-left"
      duration={10_000}
      offset={16}
      closeButton
      toastOptions={{
        style: {
          background: "var(--card)",
          color: "var(--text)",
          border: "1px solid var(--line)",
          boxShadow: "var(--shadow)",
          borderRadius: 8,
          fontFamily: "var(--font-geist-sans)",
        },
      }}
    />
  );
}

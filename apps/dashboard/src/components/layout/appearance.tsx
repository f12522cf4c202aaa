"use client";

import { ThemeProvider } from "next-themes";
import type { ReactNode } from "react";
import { PREFERENCES_SCRIPT } from "../../lib/preferences";

/** Theme, density and motion, set before the first paint from what this browser remembers. */
export function Appearance({ nonce, children }: Readonly<{ nonce: string; children: ReactNode }>) {
  return (
    <ThemeProvider attribute="class" defaultTheme="system" enableSystem disableTransitionOnChange nonce={nonce}>
      <script nonce={nonce} suppressHydrationWarning>
        {PREFERENCES_SCRIPT}
      </script>
      {children}
    </ThemeProvider>
  );
}

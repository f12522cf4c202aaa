"use client";

import { ThemeProvider } from "next-themes";
import { type ReactNode, useEffect } from "react";
import { EARLY_PRESSES_SCRIPT, repeatEarlyPresses } from "../../lib/early-presses";
import { PREFERENCES_SCRIPT } from "../../lib/preferences";

/**
 * Theme, density and motion, set before the first paint from what this browser remembers; and an ear for what is pressed
 * before anything answers.
 */
export function Appearance({ nonce, children }: Readonly<{ nonce: string; children: ReactNode }>) {
  // The outermost effect is the last: all that the pages inside listen with is there.
  useEffect(repeatEarlyPresses, []);
  return (
    <ThemeProvider attribute="class" defaultTheme="system" enableSystem disableTransitionOnChange nonce={nonce}>
      <script nonce={nonce} suppressHydrationWarning>
        {PREFERENCES_SCRIPT + EARLY_PRESSES_SCRIPT}
      </script>
      {children}
    </ThemeProvider>
  );
}

"use client";

import dynamic from "next/dynamic";
import { type ReactNode, useState } from "react";
import { Patterns } from "../../components/ui/patterns";
import { ModeBanner } from "./mode-banner";
import { NavBar } from "./nav-bar";
import { NoAnswer } from "./no-answer";
import { StatusBar } from "./status-bar";
import { TabTitle } from "./tab-title";
import { useEarlyInput } from "./use-early-input";
import { useKeptFocus } from "./use-kept-focus";
import { useShortcuts } from "./use-shortcuts";

const CommandMenu = dynamic(() => import("./command-menu").then((module) => module.CommandMenu), { ssr: false });
const ShortcutSheet = dynamic(() => import("./shortcut-sheet").then((module) => module.ShortcutSheet), { ssr: false });

/** The frame around every signed-in page. Nothing in it is sent later than the rest: what a page shows first paints at once. */
export function AppShell({ children }: Readonly<{ children: ReactNode }>) {
  useEarlyInput();
  useKeptFocus();
  const [layer, setLayer] = useState<"palette" | "shortcuts" | null>(null);
  useShortcuts({ openPalette: () => setLayer("palette"), openSheet: () => setLayer("shortcuts") });
  return (
    <>
      <Patterns />
      <a
        href="#content"
        className="sr-only z-50 rounded-control bg-card px-3 py-2 shadow-layer focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        Skip to content
      </a>
      <header className="sticky top-0 z-30 border-b bg-bg">
        <NavBar onOpenPalette={() => setLayer("palette")} />
        <StatusBar />
      </header>
      <TabTitle />
      <ModeBanner />
      <NoAnswer />
      <main id="content" tabIndex={-1} className="mx-auto max-w-[1440px] px-4 pt-5 pb-28 outline-none">
        {children}
      </main>
      {layer === "palette" ? <CommandMenu onClose={() => setLayer(null)} /> : null}
      {layer === "shortcuts" ? <ShortcutSheet onClose={() => setLayer(null)} /> : null}
    </>
  );
}

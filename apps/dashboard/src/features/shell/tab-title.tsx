"use client";

import { useEffect, useRef } from "react";
import { useFreshness, useLiveSummary } from "../../queries/use-live";
import { titlePrefix } from "./logic/tab-title";

const CALM_MS = 5000;
const PREFIX = /^\((?:\d+ full|stale)\) /;

/** The worst state before the page's title, changing seldom; a new page's title gets it at the next look. */
export function TabTitle() {
  const live = useLiveSummary()?.live;
  const isStale = useFreshness().state === "stale";
  const prefix = useRef("");
  prefix.current = live ? titlePrefix(live.pools, isStale) : "";
  useEffect(() => {
    const timer = setInterval(() => {
      const wanted = `${prefix.current}${document.title.replace(PREFIX, "")}`;
      if (document.title !== wanted) document.title = wanted;
    }, CALM_MS);
    return () => clearInterval(timer);
  }, []);
  return null;
}

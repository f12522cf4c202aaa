"use client";

import { useEffect, useRef } from "react";
import { useAnnounce } from "../../components/layout/announcer";
import type { PoolLoad } from "../../lib/pool-state";
import { changeAnnouncement } from "./logic/answer-line";

/** Speaks when a pool becomes full or loses its servers. */
export function useStateAnnouncements(pools: readonly PoolLoad[] | undefined): void {
  const announce = useAnnounce();
  const before = useRef<readonly PoolLoad[] | undefined>(undefined);
  useEffect(() => {
    if (pools === undefined) return;
    const message = before.current === undefined ? null : changeAnnouncement(before.current, pools);
    before.current = pools;
    if (message !== null) announce(message);
  }, [pools, announce]);
}

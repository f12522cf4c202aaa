"use client";

import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef, useState } from "react";
import { usePreferences } from "./preferences";
import { useIsMounted } from "./use-is-mounted";

/** Lists up to this long are drawn whole. */
const VIRTUAL_ABOVE = 60;
const OVERSCAN = 8;
/** Of a window that is not known yet: what the server draws, however far down the browser has scrolled meanwhile. */
const FIRST_RECT = { width: 1200, height: 900 };

interface VirtualRows {
  /** To be set on the element whose top is the list's top. */
  ref: React.RefObject<HTMLTableSectionElement | null>;
  first: number;
  /** Exclusive. */
  last: number;
  topPx: number;
  bottomPx: number;
}

/** Which rows of a long list to draw while the window scrolls; all of a short one. Rows are one line high unless said. */
export function useVirtualRows(count: number, givenRowPx?: number): VirtualRows {
  const { density } = usePreferences();
  const rowPx = givenRowPx ?? (density === "compact" ? 33 : 41);
  const ref = useRef<HTMLTableSectionElement | null>(null);
  const [scrollMargin, setScrollMargin] = useState(0);
  const isMounted = useIsMounted();
  const isVirtual = count > VIRTUAL_ABOVE;
  useEffect(() => {
    if (isVirtual && ref.current) setScrollMargin(ref.current.getBoundingClientRect().top + window.scrollY);
  }, [isVirtual]);
  const virtualizer = useWindowVirtualizer({
    count,
    estimateSize: () => rowPx,
    overscan: OVERSCAN,
    scrollMargin,
    enabled: isVirtual,
    initialRect: FIRST_RECT,
  });
  if (isVirtual && !isMounted) {
    const last = Math.min(count, Math.ceil(FIRST_RECT.height / rowPx) + OVERSCAN);
    return { ref, first: 0, last, topPx: 0, bottomPx: (count - last) * rowPx };
  }
  if (!isVirtual) return { ref, first: 0, last: count, topPx: 0, bottomPx: 0 };
  const items = virtualizer.getVirtualItems();
  const first = items[0]?.index ?? 0;
  const last = (items.at(-1)?.index ?? -1) + 1;
  return { ref, first, last, topPx: first * rowPx, bottomPx: Math.max(0, count - last) * rowPx };
}

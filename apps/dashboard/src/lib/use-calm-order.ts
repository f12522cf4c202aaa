"use client";

import { type FocusEvent, useCallback, useRef, useState } from "react";
import { type CalmOrder, EMPTY_ORDER, nextOrder } from "./calm-order";
import { useNow } from "./use-now";

interface CalmList {
  readonly ids: readonly string[];
  readonly hasPending: boolean;
  /** Sorts now. */
  readonly apply: () => void;
  /** To be spread on the element around the list. */
  readonly listProps: {
    ref: (list: HTMLElement | null) => void;
    onPointerEnter: () => void;
    onPointerLeave: () => void;
    onFocus: () => void;
    onBlur: (event: FocusEvent) => void;
  };
}

/** The ids in a calm order: see `nextOrder`. */
export function useCalmOrder(wanted: readonly string[], sortKey: string): CalmList {
  const nowMs = useNow();
  const order = useRef<CalmOrder>(EMPTY_ORDER);
  const isForced = useRef(false);
  const [isPointed, setIsPointed] = useState(false);
  const [isFocused, setIsFocused] = useState(false);
  const [, redraw] = useState(0);
  // A reader may be in the list since before the page's scripts ran, which nothing told of.
  const ref = useCallback((list: HTMLElement | null) => {
    if (list?.matches(":hover") === true) setIsPointed(true);
    if (list?.contains(document.activeElement) === true) setIsFocused(true);
  }, []);
  order.current = nextOrder(order.current, {
    wanted,
    nowMs,
    sortKey,
    isFrozen: isPointed || isFocused,
    isForced: isForced.current,
  });
  isForced.current = false;
  return {
    ids: order.current.ids,
    hasPending: order.current.hasPending,
    apply: () => {
      isForced.current = true;
      redraw((count) => count + 1);
    },
    listProps: {
      ref,
      onPointerEnter: () => setIsPointed(true),
      onPointerLeave: () => setIsPointed(false),
      onFocus: () => setIsFocused(true),
      onBlur: (event) => setIsFocused(event.currentTarget.contains(event.relatedTarget)),
    },
  };
}

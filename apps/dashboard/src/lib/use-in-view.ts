"use client";

import { type RefObject, useEffect, useRef, useState } from "react";

/** Whether an element has come into view; stays true from then on. */
export function useInView<Element extends HTMLElement>(): [RefObject<Element | null>, boolean] {
  const ref = useRef<Element | null>(null);
  const [isSeen, setIsSeen] = useState(false);
  useEffect(() => {
    const element = ref.current;
    if (element === null || isSeen) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) setIsSeen(true);
      },
      { rootMargin: "100px" },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [isSeen]);
  return [ref, isSeen];
}

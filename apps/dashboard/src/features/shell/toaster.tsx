"use client";

import { useTheme } from "next-themes";
import { useEffect, useState } from "react";
import { Toaster, useSonner } from "sonner";
import { type Box, TOAST_FOOT, toastLift } from "./logic/toast-lift";

const TOAST = "[data-sonner-toast]";

/**
 * Toasts in the page's own colours; they wait while pointed at, focused, or while the tab is hidden. On the left, because
 * panels open on the right and what was just saved there can be put back there; and never over what has the focus.
 */
export function ConsoleToaster() {
  const { resolvedTheme } = useTheme();
  const lift = useLift();
  return (
    <Toaster
      theme={resolvedTheme === "dark" ? "dark" : "light"}
      position="bottom-left"
      duration={10_000}
      offset={{ bottom: lift, left: TOAST_FOOT }}
      mobileOffset={{ bottom: lift, left: TOAST_FOOT, right: TOAST_FOOT }}
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

/** Looks once a frame while toasts are there, or fade: focus, the page and what is on it move for many reasons. */
function useLift(): number {
  const { toasts } = useSonner();
  const [lift, setLift] = useState(TOAST_FOOT);
  const isAny = toasts.length > 0;
  useEffect(() => {
    let frame = 0;
    const look = () => {
      const found = findLift();
      if (found !== null) setLift(found);
      if (isAny || document.querySelector(TOAST) !== null) frame = requestAnimationFrame(look);
    };
    look();
    return () => cancelAnimationFrame(frame);
  }, [isAny]);
  return lift;
}

/** Null while there is nothing to measure, or the reader is in the toasts themselves. */
function findLift(): number | null {
  const boxes = [...document.querySelectorAll(TOAST)].map((toast) => toast.getBoundingClientRect());
  const [first, ...others] = boxes;
  const active = document.activeElement;
  if (first === undefined || active?.closest("[data-sonner-toaster]")) return null;
  const toasts = others.reduce<Box>(around, first);
  const isSomething = active !== null && active !== document.body;
  return toastLift({
    focused: isSomething ? active.getBoundingClientRect() : null,
    toasts,
    windowHeight: window.innerHeight,
  });
}

function around(one: Box, other: Box): Box {
  return {
    left: Math.min(one.left, other.left),
    right: Math.max(one.right, other.right),
    top: Math.min(one.top, other.top),
    bottom: Math.max(one.bottom, other.bottom),
  };
}

"use client";

import { useCallback, useState } from "react";

/** What had the focus when a layer opened, and before that the layer it stood in; nearest first. */
type Chain = readonly HTMLElement[];

const chains = new WeakMap<Element, Chain>();
/** Of the layer that was taken away just now, perhaps for another one that is about to open in its place. */
let removed: Chain | null = null;
const LAYER = "[role=dialog], [role=alertdialog]";

/**
 * Gives the focus back to where a layer was opened from, also when a layer in between is gone: a secret's dialog returns
 * to the button of the page whose sheet it took the place of. For the layer's own content, mounted when it opens.
 *
 * @param find where focus goes first, if it is there
 */
export function useReturnFocus(find: () => HTMLElement | null = () => null) {
  const [chain] = useState(openers);
  const ref = useCallback(
    (layer: HTMLElement | null) => {
      if (layer !== null) return void chains.set(layer, chain);
      removed = chain;
      setTimeout(() => {
        if (removed === chain) removed = null;
      });
    },
    [chain],
  );
  const onCloseAutoFocus = (event: Event) => {
    event.preventDefault();
    if (isInNewerLayer(chain)) return;
    const opener = find() ?? chain.find((one) => one.isConnected) ?? document.getElementById("content");
    opener?.focus();
  };
  return { ref, onCloseAutoFocus };
}

/** Whether the focus is in a layer that this one was not opened from: one that took its place, and keeps the focus. */
function isInNewerLayer(chain: Chain): boolean {
  const layer = document.activeElement?.closest(LAYER) ?? null;
  return layer !== null && !chain.some((one) => layer.contains(one));
}

function openers(): Chain {
  // Whatever caught the focus since is only its stand-in.
  if (removed !== null) return removed;
  const active = document.activeElement instanceof HTMLElement ? document.activeElement : document.body;
  // A button that waits for an answer is disabled and has lost the focus; then it was in the layer on top.
  const isLost = active === document.body;
  const layer = isLost ? [...document.querySelectorAll(LAYER)].at(-1) : active.closest(LAYER);
  if (layer === undefined || layer === null) return isLost ? [] : [active];
  // A menu knows no opener of its own; the button that controls it is one.
  const trigger = layer.id === "" ? null : document.querySelector(`[aria-controls="${CSS.escape(layer.id)}"]`);
  return [
    ...(isLost ? [] : [active]),
    ...(trigger instanceof HTMLElement ? [trigger] : []),
    ...(chains.get(layer) ?? []),
  ];
}

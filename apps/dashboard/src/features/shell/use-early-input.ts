"use client";

import { useLayoutEffect } from "react";

/**
 * Takes up what was typed, chosen or ticked before the page's scripts ran. It stands in the controls and nowhere else, and
 * the next drawing would undo it: so each control says it again, as if it were done now. For the frame around all pages.
 */
export function useEarlyInput(): void {
  useLayoutEffect(() => {
    for (const control of document.querySelectorAll("input, textarea, select")) {
      if (control instanceof HTMLSelectElement) repeatChoice(control);
      else if (control instanceof HTMLInputElement && TICKED.has(control.type)) repeatTick(control);
      else if (control instanceof HTMLInputElement || control instanceof HTMLTextAreaElement) repeatText(control);
    }
  }, []);
}

const TICKED = new Set(["checkbox", "radio"]);

function repeatChoice(select: HTMLSelectElement): void {
  const drawn = [...select.options].find((option) => option.defaultSelected) ?? select.options[0];
  if (drawn !== undefined && select.value !== drawn.value) select.dispatchEvent(new Event("change", { bubbles: true }));
}

/** Of radio buttons the one that was chosen; the others follow it. */
function repeatTick(input: HTMLInputElement): void {
  if (input.checked === input.defaultChecked || (input.type === "radio" && !input.checked)) return;
  input.checked = input.defaultChecked;
  input.click();
}

function repeatText(field: HTMLInputElement | HTMLTextAreaElement): void {
  const typed = field.value;
  if (typed === field.defaultValue) return;
  // React takes a value for news when it differs from the last one set through the element itself.
  field.value = field.defaultValue;
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), "value")?.set?.call(field, typed);
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

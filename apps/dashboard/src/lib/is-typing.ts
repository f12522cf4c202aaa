/** Whether a key press belongs to a field or an open layer and must not trigger a single-key shortcut. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target.closest("[role=dialog],[role=alertdialog],[role=menu]") !== null) return true;
  return target.matches("input:not([type=checkbox]):not([type=radio]), textarea, select");
}

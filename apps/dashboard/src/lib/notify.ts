/** Toasts. Their code loads with the first one, so that pages nobody changes anything on do without it. */
import { useSyncExternalStore } from "react";

interface Notice {
  readonly durationMs?: number;
  readonly action?: { readonly label: string; readonly onClick: () => void };
}

let isWanted = false;
const listeners = new Set<() => void>();

export function notifySuccess(text: string, notice: Notice = {}): void {
  void show("success", text, notice);
}

export function notifyError(text: string): void {
  void show("error", text, {});
}

/** Whether anything was ever to be shown on this page. */
export function useToasterWanted(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => isWanted,
    () => false,
  );
}

async function show(kind: "success" | "error", text: string, notice: Notice): Promise<void> {
  isWanted = true;
  for (const listener of listeners) listener();
  const { toast } = await import("sonner");
  toast[kind](text, {
    ...(notice.durationMs === undefined ? {} : { duration: notice.durationMs }),
    ...(notice.action === undefined ? {} : { action: notice.action }),
  });
}

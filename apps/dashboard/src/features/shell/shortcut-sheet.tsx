"use client";

import { Dialog } from "../../components/ui/dialog";
import { SHORTCUTS } from "./shortcut-list";

export function ShortcutSheet({ onClose }: Readonly<{ onClose: () => void }>) {
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Keyboard"
      description="Single keys do nothing while you type. They can be turned off in Settings, Appearance."
    >
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1.5 text-small">
        {SHORTCUTS.map((shortcut) => (
          <div key={shortcut.keys} className="contents">
            <dt>
              <kbd className="rounded border bg-subtle px-1.5 py-0.5 font-mono text-micro">{shortcut.keys}</kbd>
            </dt>
            <dd className="text-text-2">{shortcut.does}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}

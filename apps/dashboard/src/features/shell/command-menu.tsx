"use client";

import { Command } from "cmdk";
import { useRouter } from "next/navigation";
import { Dialog as Base } from "radix-ui";
import { NAV_LINKS } from "./nav-links";

export function CommandMenu({ onClose }: Readonly<{ onClose: () => void }>) {
  const router = useRouter();
  const go = (href: string) => {
    onClose();
    router.push(href);
  };
  return (
    <Base.Root open onOpenChange={(open) => (open ? undefined : onClose())}>
      <Base.Portal>
        <Base.Overlay className="fixed inset-0 z-40 bg-(--scrim)" />
        <Base.Content
          aria-describedby={undefined}
          className="fixed top-[12vh] left-1/2 z-50 w-[calc(100vw-32px)] max-w-xl -translate-x-1/2 overflow-hidden rounded-panel border bg-card shadow-layer outline-none"
        >
          <Base.Title className="sr-only">Search and commands</Base.Title>
          <Command label="Search and commands" loop>
            <Command.Input
              placeholder="Search"
              className="h-12 w-full border-b bg-transparent px-4 text-body outline-none"
            />
            <Command.List className="max-h-[50vh] overflow-auto p-1">
              <Command.Empty className="p-4 text-small text-text-2">Nothing matches.</Command.Empty>
              <Command.Group heading="Pages">
                {NAV_LINKS.map((link) => (
                  <Command.Item key={link.href} value={link.label} onSelect={() => go(link.href)}>
                    {link.label}
                  </Command.Item>
                ))}
              </Command.Group>
            </Command.List>
          </Command>
        </Base.Content>
      </Base.Portal>
    </Base.Root>
  );
}

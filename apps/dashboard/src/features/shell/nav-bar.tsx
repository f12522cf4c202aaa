"use client";

import { Menu, Moon, Search, Sun, UserRound } from "lucide-react";
import Link from "next/link";
import { usePathname } from "next/navigation";
import { useTheme } from "next-themes";
import { DropdownMenu } from "radix-ui";
import { useState } from "react";
import { Mark } from "../../components/layout/mark";
import { Button } from "../../components/ui/button";
import { cn } from "../../lib/cn";
import { useSession } from "../../lib/session";
import { isCurrent, NAV_LINKS } from "./nav-links";

const MENU =
  "z-50 min-w-48 rounded-panel border bg-card p-1 text-small shadow-layer outline-none data-[state=open]:animate-in data-[state=open]:fade-in-0 data-[state=open]:duration-150";
const ITEM =
  "flex h-8 w-full cursor-pointer items-center rounded-control px-2 text-left outline-none data-[highlighted]:bg-subtle";

export function NavBar({ onOpenPalette }: Readonly<{ onOpenPalette: () => void }>) {
  const path = usePathname();
  return (
    <div className="mx-auto flex h-12 max-w-[1440px] items-center gap-1 px-4">
      <NavMenu />
      <Link href="/" className="mr-3 flex items-center gap-2 font-semibold" aria-label="obleth, Overview">
        <Mark className="size-6" />
        <span aria-hidden="true">obleth</span>
      </Link>
      <nav aria-label="Main" className="hidden min-w-0 flex-1 md:block">
        <ul className="flex items-center">
          {NAV_LINKS.map((link) => (
            <li key={link.href}>
              <NavItem href={link.href} label={link.label} isCurrent={isCurrent(link.href, path)} />
            </li>
          ))}
        </ul>
      </nav>
      <div className="ml-auto flex items-center gap-1">
        <Button variant="ghost" size="medium" onClick={onOpenPalette} aria-label="Search and commands" className="px-2">
          <Search className="size-4" aria-hidden="true" />
          <kbd className="hidden rounded border px-1 font-mono text-micro text-text-3 lg:inline">Ctrl K</kbd>
        </Button>
        <ThemeButton />
        <AccountMenu />
      </div>
    </div>
  );
}

function NavItem({ href, label, isCurrent: current }: Readonly<{ href: string; label: string; isCurrent: boolean }>) {
  return (
    <Link
      href={href}
      prefetch={false}
      aria-current={current ? "page" : undefined}
      className={cn(
        "flex h-8 items-center rounded-control px-2.5 text-small text-text-2 hover:bg-subtle hover:text-text",
        current && "bg-subtle font-medium text-text",
      )}
    >
      {label}
    </Link>
  );
}

/** The pages as a menu where the bar has no room for them. */
function NavMenu() {
  return (
    <DropdownMenu.Root>
      <DropdownMenu.Trigger asChild>
        <Button variant="ghost" size="icon" aria-label="Pages" className="md:hidden">
          <Menu className="size-4" aria-hidden="true" />
        </Button>
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content align="start" sideOffset={6} className={MENU}>
          {NAV_LINKS.map((link) => (
            <DropdownMenu.Item key={link.href} asChild>
              <Link href={link.href} className={cn(ITEM, "h-10")}>
                {link.label}
              </Link>
            </DropdownMenu.Item>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

function ThemeButton() {
  const { resolvedTheme, setTheme } = useTheme();
  return (
    <Button
      variant="ghost"
      size="icon"
      aria-label="Switch between light and dark"
      onClick={() => setTheme(resolvedTheme === "dark" ? "light" : "dark")}
    >
      <Sun className="hidden size-4 dark:block" aria-hidden="true" />
      <Moon className="size-4 dark:hidden" aria-hidden="true" />
    </Button>
  );
}

function AccountMenu() {
  const { email, role } = useSession();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <DropdownMenu.Root open={isOpen} onOpenChange={setIsOpen}>
      <DropdownMenu.Trigger asChild>
        <Button variant="ghost" size="icon" aria-label={`Account: ${email}`}>
          <UserRound className="size-4" aria-hidden="true" />
        </Button>
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content align="end" sideOffset={6} collisionPadding={12} className={MENU}>
          <DropdownMenu.Label className="px-2 py-1.5">
            <span className="name block max-w-64 truncate">{email}</span>
            <span className="block text-micro text-text-3">{role === "admin" ? "Admin" : "Viewer"}</span>
          </DropdownMenu.Label>
          <DropdownMenu.Item asChild>
            <Link href="/settings?tab=appearance" className={ITEM}>
              Appearance
            </Link>
          </DropdownMenu.Item>
          <DropdownMenu.Item asChild>
            <Link href="/settings?tab=people" className={ITEM}>
              Change password
            </Link>
          </DropdownMenu.Item>
          <form method="post" action="/api/session/logout">
            <DropdownMenu.Item asChild onSelect={(event) => event.preventDefault()}>
              <button type="submit" className={ITEM}>
                Sign out
              </button>
            </DropdownMenu.Item>
          </form>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

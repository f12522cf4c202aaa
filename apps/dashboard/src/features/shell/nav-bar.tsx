"use client";

import { Menu, Moon, Search, Sun, UserRound } from "lucide-react";
import Link from "next/link";
import { usePathname } from "next/navigation";
import { useTheme } from "next-themes";
import { Mark } from "../../components/layout/mark";
import { Button } from "../../components/ui/button";
import { PopoverOf, usePopover } from "../../components/ui/button-popover";
import { cn } from "../../lib/cn";
import { useSession } from "../../lib/session";
import { isCurrent, NAV_LINKS } from "./nav-links";

const ITEM = "flex h-8 w-full items-center rounded-control px-2 text-left hover:bg-subtle";

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
  const popover = usePopover();
  return (
    <>
      <Button {...popover.buttonProps} variant="ghost" size="icon" aria-label="Pages" className="md:hidden">
        <Menu className="size-4" aria-hidden="true" />
      </Button>
      <PopoverOf popover={popover} align="start" label="Pages" className="w-52 p-1">
        {(close) => (
          <nav aria-label="Pages">
            <ul>
              {NAV_LINKS.map((link) => (
                <li key={link.href}>
                  <Link href={link.href} className={cn(ITEM, "h-10")} onClick={close}>
                    {link.label}
                  </Link>
                </li>
              ))}
            </ul>
          </nav>
        )}
      </PopoverOf>
    </>
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
  const popover = usePopover();
  return (
    <>
      <Button {...popover.buttonProps} variant="ghost" size="icon" aria-label={`Account: ${email}`}>
        <UserRound className="size-4" aria-hidden="true" />
      </Button>
      <PopoverOf popover={popover} align="end" label="Account" className="w-60 p-1">
        {(close) => (
          <>
            <p className="px-2 py-1.5">
              <span className="name block truncate">{email}</span>
              <span className="block text-micro text-text-3">{role === "admin" ? "Admin" : "Viewer"}</span>
            </p>
            <Link href="/settings?tab=appearance" className={ITEM} onClick={close}>
              Appearance
            </Link>
            <Link href="/settings?tab=people" className={ITEM} onClick={close}>
              Change password
            </Link>
            <form method="post" action="/api/session/logout">
              <button type="submit" className={ITEM}>
                Sign out
              </button>
            </form>
          </>
        )}
      </PopoverOf>
    </>
  );
}

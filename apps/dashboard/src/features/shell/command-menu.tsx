"use client";

import { useQuery } from "@tanstack/react-query";
import { Command } from "cmdk";
import { useRouter } from "next/navigation";
import { Dialog as Base } from "radix-ui";
import { type ReactNode, useDeferredValue, useState } from "react";
import { Scrim, useOverPage } from "../../components/ui/over-page";
import { formatExact } from "../../lib/format";
import { togglePause } from "../../lib/pause";
import { useSession } from "../../lib/session";
import { useReturnFocus } from "../../lib/use-return-focus";
import { keysQuery } from "../../queries/keys";
import { modelsQuery, tenantsQuery } from "../../queries/objects";
import { useLiveSummary } from "../../queries/use-live";
import { paletteMatches } from "./logic/palette-matches";
import { parseRecent, type RecentEntry, withRecent } from "./logic/recent";
import { NAV_LINKS } from "./nav-links";

const STORAGE_KEY = "obleth.recent";
const MAX_LISTED = 40;
const FIRST_LISTED = 8;
const ITEM =
  "flex min-h-9 cursor-pointer items-center gap-3 rounded-control px-3 py-1.5 text-small data-[selected=true]:bg-subtle";
const GROUP =
  "[&_[cmdk-group-heading]]:px-3 [&_[cmdk-group-heading]]:py-1.5 [&_[cmdk-group-heading]]:text-micro [&_[cmdk-group-heading]]:text-text-3";

/** Everything by name: pages, pools, tenants, keys, models, and what one often does. */
export function CommandMenu({ onClose }: Readonly<{ onClose: () => void }>) {
  const router = useRouter();
  const [recent] = useState(() => parseRecent(readStored()));
  const [text, setText] = useState("");
  const { ref, onCloseAutoFocus } = useReturnFocus();
  const go = (entry: RecentEntry) => {
    store(JSON.stringify(withRecent(recent, entry)));
    onClose();
    router.push(entry.href);
  };
  return (
    <Base.Root open modal={false} onOpenChange={(open) => (open ? undefined : onClose())}>
      <Base.Portal>
        <Scrim isInstant />
        <Base.Content
          {...useOverPage(ref)}
          onCloseAutoFocus={onCloseAutoFocus}
          aria-describedby={undefined}
          className="fixed top-[10vh] left-1/2 z-50 w-[calc(100vw-32px)] max-w-xl -translate-x-1/2 overflow-hidden rounded-panel border bg-card shadow-layer outline-none"
        >
          <Base.Title className="sr-only">Search and commands</Base.Title>
          <Command label="Search and commands" loop>
            <Command.Input
              value={text}
              onValueChange={setText}
              placeholder="Search pages, pools, tenants, keys, models"
              className="h-12 w-full border-b bg-transparent px-4 text-body outline-none"
            />
            <Command.List className="max-h-[60vh] overflow-auto p-1">
              <Command.Empty className="p-4 text-small text-text-2">Nothing matches.</Command.Empty>
              {text === "" && recent.length > 0 ? (
                <Entries heading="Recent" entries={recent} onGo={go} prefix="recent" />
              ) : null}
              <Pools text={text} onGo={go} />
              <Entries
                heading="Pages"
                entries={NAV_LINKS.map(({ label, href }) => ({ label, href }))}
                onGo={go}
                prefix="page"
              />
              <Actions onGo={go} onClose={onClose} />
              {text === "" ? null : <Objects text={text} onGo={go} />}
            </Command.List>
          </Command>
        </Base.Content>
      </Base.Portal>
    </Base.Root>
  );
}

/** Private windows may refuse storage; nothing is recent then. */
function readStored(): string | null {
  try {
    return localStorage.getItem(STORAGE_KEY);
  } catch {
    return null;
  }
}

function store(text: string): void {
  try {
    localStorage.setItem(STORAGE_KEY, text);
  } catch {
    // As above.
  }
}

type Go = (entry: RecentEntry) => void;

interface EntriesProps {
  heading: string;
  entries: readonly (RecentEntry & { readonly note?: string })[];
  onGo: Go;
  /** Keeps entries of one name in several groups apart. */
  prefix: string;
}

function Entries({ heading, entries, onGo, prefix }: Readonly<EntriesProps>) {
  if (entries.length === 0) return null;
  return (
    <Command.Group heading={heading} className={GROUP}>
      {entries.map((entry) => (
        <Command.Item
          key={entry.href}
          value={`${prefix} ${entry.label} ${entry.href}`}
          keywords={[entry.label]}
          onSelect={() => onGo(entry)}
          className={ITEM}
        >
          <span className="name min-w-0 flex-1 truncate">{entry.label}</span>
          {entry.note ? <Note>{entry.note}</Note> : null}
        </Command.Item>
      ))}
    </Command.Group>
  );
}

function Note({ children }: Readonly<{ children: ReactNode }>) {
  return <span className="num shrink-0 text-micro text-text-3">{children}</span>;
}

function Pools({ text, onGo }: Readonly<ObjectsProps>) {
  const pools = useLiveSummary()?.live.pools ?? [];
  // The palette opens with a screenful; the rest is there before anyone has typed.
  const listed = useDeferredValue(MAX_LISTED, FIRST_LISTED);
  const named = pools.map((pool) => ({ label: pool.model, pool }));
  const entries = paletteMatches(named, { text, prefix: "pool", most: listed }).map(({ label, pool }) => ({
    label,
    href: `/fairshare?pool=${encodeURIComponent(pool.model)}`,
    note:
      pool.capacity_state === "no_servers"
        ? "no servers"
        : `${formatExact(pool.in_flight + pool.held)}/${formatExact(pool.cap)}${pool.queued > 0 ? `, ${formatExact(pool.queued)} waiting` : ""}`,
  }));
  return <Entries heading="Pools" entries={entries} onGo={onGo} prefix="pool" />;
}

interface ObjectsProps {
  /** What is typed. */
  text: string;
  onGo: Go;
}

/** Tenants, keys and models, read once somebody searches. */
function Objects({ text, onGo }: Readonly<ObjectsProps>) {
  const tenants = useQuery(tenantsQuery()).data?.items ?? [];
  const models = useQuery(modelsQuery()).data?.items ?? [];
  const keys = useQuery(keysQuery(null)).data?.items ?? [];
  const found = (prefix: string, entries: EntriesProps["entries"]) =>
    paletteMatches(entries, { text, prefix, most: MAX_LISTED });
  return (
    <>
      <Entries
        heading="Tenants"
        prefix="tenant"
        onGo={onGo}
        entries={found(
          "tenant",
          tenants.map((tenant) => ({ label: tenant.name, href: `/tenants/${tenant.id}`, note: tenant.group })),
        )}
      />
      <Entries
        heading="Models"
        prefix="model"
        onGo={onGo}
        entries={found(
          "model",
          models.map((model) => ({
            label: model.name,
            href: `/models/${encodeURIComponent(model.name)}`,
            note: model.type,
          })),
        )}
      />
      <Entries
        heading="Keys"
        prefix="key"
        onGo={onGo}
        entries={found(
          "key",
          keys.map((key) => ({
            label: key.name,
            href: `/keys?key=${key.id}`,
            note: `${key.tenant_name}, ${key.prefix}…`,
          })),
        )}
      />
    </>
  );
}

function Actions({ onGo, onClose }: Readonly<{ onGo: Go; onClose: () => void }>) {
  const { isAdmin } = useSession();
  const entries = isAdmin
    ? [
        { label: "Boost a tenant", href: "/boosts?new=true" },
        { label: "Change group weights", href: "/fairshare/groups" },
        { label: "Add a model", href: "/models?new=true" },
        { label: "Add a tenant", href: "/tenants?new=true" },
      ]
    : [];
  return (
    <>
      <Entries heading="Actions" entries={entries} onGo={onGo} prefix="action" />
      <Command.Group className={GROUP}>
        <Command.Item
          value="action pause or resume updates"
          className={ITEM}
          onSelect={() => {
            togglePause();
            onClose();
          }}
        >
          Pause or resume updates
        </Command.Item>
      </Command.Group>
    </>
  );
}

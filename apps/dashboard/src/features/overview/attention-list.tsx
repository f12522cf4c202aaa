"use client";

import Link from "next/link";
import { useEffect, useMemo, useState } from "react";
import { Button } from "../../components/ui/button";
import { PopoverOf, usePopover } from "../../components/ui/button-popover";
import { Glyph } from "../../components/ui/glyph";
import { Panel } from "../../components/ui/panel";
import { plural } from "../../lib/format";
import { isTyping } from "../../lib/is-typing";
import { usePreferences } from "../../lib/preferences";
import type { OverviewItem } from "../../queries/wire";
import { attentionKey, attentionWords, isOnlyWatched } from "./logic/attention";
import { useSnoozes } from "./use-snoozes";

const SHOWN = 8;
const HOUR_MS = 3_600_000;

/** What needs someone, most urgent first, with one link each. */
export function AttentionList({ items }: Readonly<{ items: readonly OverviewItem[] }>) {
  const [isAll, setIsAll] = useState(false);
  const acute = items.filter((item) => !isOnlyWatched(item));
  const watching = items.filter(isOnlyWatched);
  const snoozes = useSnoozes(useMemo(() => acute.map(attentionKey), [acute]));
  const open = acute.filter((item) => !snoozes.isSnoozed(attentionKey(item)));
  const hidden = acute.length - open.length;
  const shown = isAll ? open : open.slice(0, SHOWN);
  useSnoozeKey((key) => snoozes.snooze(key, HOUR_MS));
  return (
    <Panel
      title="Needs attention"
      bodyClassName="p-0"
      actions={
        hidden > 0 ? (
          <Button size="small" variant="ghost" onClick={snoozes.clear}>
            {plural(hidden, "item")} hidden, show
          </Button>
        ) : null
      }
    >
      {shown.length === 0 ? (
        <p className="px-4 py-6 text-small text-text-2">Nothing needs you.</p>
      ) : (
        <ul className="divide-y">
          {shown.map((item) => (
            <AttentionRow
              key={attentionKey(item)}
              item={item}
              onSnooze={(forMs) => snoozes.snooze(attentionKey(item), forMs)}
            />
          ))}
        </ul>
      )}
      {open.length > shown.length ? (
        <div className="border-t px-4 py-2">
          <Button size="small" variant="ghost" onClick={() => setIsAll(true)}>
            and {open.length - shown.length} more
          </Button>
        </div>
      ) : null}
      {watching.length > 0 ? <Watching items={watching} /> : null}
    </Panel>
  );
}

function AttentionRow({ item, onSnooze }: Readonly<{ item: OverviewItem; onSnooze: (forMs: number | null) => void }>) {
  const words = attentionWords(item);
  return (
    <li
      data-attention={item.kind}
      data-key={attentionKey(item)}
      className="flex min-h-(--row) flex-wrap items-center gap-x-4 gap-y-1 px-4 py-1.5 text-small hover:bg-subtle"
    >
      <span className="flex min-w-28 flex-1 items-center gap-2 font-medium sm:w-40 sm:flex-none">
        <Glyph shape={words.shape} tone={words.tone} />
        {words.label}
      </span>
      <span
        className="name order-2 line-clamp-2 min-w-0 font-medium sm:order-none sm:flex-1 sm:basis-44"
        title={words.object}
      >
        {words.object}
      </span>
      <span className="num order-2 min-w-0 flex-1 basis-32 text-text-2 sm:order-none sm:flex-[3] sm:basis-48">
        {words.cause}
      </span>
      <span className="order-1 flex items-center justify-end gap-1 sm:order-none sm:w-44">
        <Link className="link px-1" href={words.href}>
          {words.link}
        </Link>
        <SnoozeMenu label={`Snooze ${words.label} ${words.object}`} onSnooze={onSnooze} />
      </span>
    </li>
  );
}

function SnoozeMenu({ label, onSnooze }: Readonly<{ label: string; onSnooze: (forMs: number | null) => void }>) {
  const choices = [
    { label: "1 hour", forMs: HOUR_MS },
    { label: "8 hours", forMs: 8 * HOUR_MS },
    { label: "Until it comes back", forMs: null },
  ];
  const popover = usePopover();
  return (
    <>
      <Button {...popover.buttonProps} variant="ghost" size="small" aria-label={label} className="text-text-3">
        Snooze
      </Button>
      <PopoverOf popover={popover} align="end" className="w-44 p-1" label={label}>
        {(close) =>
          choices.map((choice) => (
            <Button
              key={choice.label}
              variant="ghost"
              className="w-full justify-start"
              onClick={() => {
                onSnooze(choice.forMs);
                close();
              }}
            >
              {choice.label}
            </Button>
          ))
        }
      </PopoverOf>
    </>
  );
}

function Watching({ items }: Readonly<{ items: readonly OverviewItem[] }>) {
  return (
    <p className="border-t px-4 py-2 text-small text-text-2" data-testid="watching">
      Also watching:{" "}
      {items.map((item, index) => {
        const words = attentionWords(item);
        return (
          <span key={attentionKey(item)}>
            {index > 0 ? ", " : ""}
            <Link className="link name" href={words.href}>
              {words.object}
            </Link>{" "}
            {item.kind === "no_servers" ? `has no servers (${words.cause})` : words.cause}
          </span>
        );
      })}
    </p>
  );
}

/** `z` puts the item under focus aside for an hour. */
function useSnoozeKey(onSnooze: (key: string) => void): void {
  const { hasShortcuts } = usePreferences();
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!hasShortcuts || event.key !== "z" || event.ctrlKey || event.metaKey || isTyping(event.target)) return;
      const key = document.activeElement?.closest<HTMLElement>("[data-attention]")?.dataset.key;
      if (key !== undefined) onSnooze(key);
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [hasShortcuts, onSnooze]);
}

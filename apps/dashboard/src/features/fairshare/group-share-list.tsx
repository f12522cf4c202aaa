"use client";

import Link from "next/link";
import { GroupMark, groupColor } from "../../components/ui/group-mark";
import { UseBar } from "../../components/ui/use-bar";
import { Value } from "../../components/ui/value";
import { formatExact } from "../../lib/format";
import { groupColors } from "../../lib/group-colors";
import { inUse } from "../../lib/pool-state";
import type { LiveGroup } from "../../queries/wire";

interface GroupShareListProps {
  groups: readonly LiveGroup[];
  /** Where a group's name leads. */
  hrefOf: (group: string) => string;
}

/** What each group has in use against its share, over all pools where it has work. */
export function GroupShareList({ groups, hrefOf }: Readonly<GroupShareListProps>) {
  const widest = Math.max(1, ...groups.map((group) => Math.max(inUse(group), group.slot_cap)));
  const colors = groupColors(groups);
  return (
    <ul className="divide-y">
      {groups.map((group) => (
        <li
          key={group.name}
          data-group={group.name}
          className="grid min-h-(--row) grid-cols-[minmax(0,10rem)_1fr] items-center gap-x-4 gap-y-1 px-4 py-2 md:grid-cols-[minmax(0,12rem)_minmax(8rem,24rem)_1fr]"
        >
          <Link href={hrefOf(group.name)} className="flex min-w-0 items-center gap-2 font-medium hover:underline">
            <GroupMark color={colors.get(group.name)} />
            <span className="name truncate">{group.name}</span>
          </Link>
          <UseBar
            inFlight={group.in_flight}
            held={group.held}
            borrowed={group.borrowed}
            size={widest}
            share={group.slot_cap}
            color={groupColor(colors.get(group.name))}
            label={`${group.name}: ${formatExact(inUse(group))} in use, share ${formatExact(group.slot_cap)}`}
          />
          <p className="col-span-2 text-small text-text-2 md:col-span-1">
            <Value field="in_use" value={inUse(group)} isExact className="text-text" /> in use, share{" "}
            <Value field="slot_cap" value={group.slot_cap} isExact className="text-text" />,{" "}
            <Value field="borrowed" value={group.borrowed} isExact /> borrowed,{" "}
            <Value field="queued" value={group.queued} className={group.queued > 0 ? "font-medium text-text" : ""} />{" "}
            waiting
          </p>
        </li>
      ))}
    </ul>
  );
}

import { cn } from "../../lib/cn";
import { GROUP_COLOURS } from "../../lib/group-colors";

/** The CSS colour of a group: its stored index, the seventh and later share one. */
export function groupColor(index: number | null | undefined): string {
  return index != null && index >= 0 && index < GROUP_COLOURS ? `var(--group-${index + 1})` : "var(--group-other)";
}

/** A small square in the group's colour; the name always stands beside it. */
export function GroupMark({ color, className }: Readonly<{ color: number | null | undefined; className?: string }>) {
  return (
    <span
      aria-hidden="true"
      className={cn("inline-block size-2.5 shrink-0 rounded-[3px]", className)}
      style={{ background: groupColor(color) }}
    />
  );
}

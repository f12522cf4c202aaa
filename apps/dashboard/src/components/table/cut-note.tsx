import { formatExact } from "../../lib/format";

interface CutNoteProps {
  list: { readonly items: readonly unknown[]; readonly total: number };
  /** What is listed, as several. */
  what: string;
}

/** Says that a list ends before what there is. */
export function CutNote({ list, what }: Readonly<CutNoteProps>) {
  if (list.items.length >= list.total) return null;
  return (
    <p className="border-t px-4 py-2 text-small text-text-2">
      The first {formatExact(list.items.length)} of {formatExact(list.total)} {what} are listed; filters look through
      those.
    </p>
  );
}

import { cn } from "../../lib/cn";
import { formatCount, formatExact, MISSING } from "../../lib/format";

interface ValueProps {
  /** The API's field, so that what a page shows can be checked against what the API said. */
  field: string;
  value: number | null | undefined;
  /** Written form; the count or exact number by default. */
  text?: string;
  isExact?: boolean;
  /** Why it is missing, for the title. */
  missing?: string;
  className?: string;
}

/** One live number. */
export function Value({ field, value, text, isExact, missing, className }: Readonly<ValueProps>) {
  const shown = text ?? (isExact ? formatExact(value) : formatCount(value));
  const exact = formatExact(value);
  const title = shown === MISSING ? missing : text === undefined && shown !== exact ? exact : undefined;
  return (
    <span className={cn("num", className)} data-field={field} data-value={value ?? ""} title={title}>
      {shown}
    </span>
  );
}

import { INPUT } from "../../components/ui/field";
import { cn } from "../../lib/cn";

interface PoolChoiceProps {
  pools: readonly string[];
  value: string | null;
  onValue: (pool: string | null) => void;
}

/** Previews of all pools, or of one, whose size is then the trial's too. */
export function PoolChoice({ pools, value, onValue }: Readonly<PoolChoiceProps>) {
  const names = [...new Set(value === null ? pools : [value, ...pools])].sort();
  return (
    <select
      aria-label="Pools to preview"
      value={value ?? ""}
      onChange={(event) => onValue(event.target.value || null)}
      className={cn(INPUT, "w-40")}
    >
      <option value="">All pools</option>
      {names.map((name) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </select>
  );
}

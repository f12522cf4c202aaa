import { INPUT } from "../../components/ui/field";
import { HeadCell, SortCell } from "../../components/ui/table";
import { cn } from "../../lib/cn";
import { POOL_SORTS, type PoolSortKey, type SortDirection } from "./logic/pool-sort";

interface PoolHeadProps {
  sort: PoolSortKey;
  direction: SortDirection;
  onSort: (sort: PoolSortKey) => void;
}

export function PoolHead({ sort, direction, onSort }: Readonly<PoolHeadProps>) {
  const sortable = (key: PoolSortKey) => ({
    direction: key === sort ? direction : null,
    onSort: () => onSort(key),
  });
  return (
    <thead>
      <tr aria-rowindex={1}>
        <SortCell className="w-[22%]" label="Pool" {...sortable("name")} />
        <HeadCell className="w-44">State</HeadCell>
        <SortCell label="Use" {...sortable("fullest")} />
        <HeadCell isNumber className="w-24">
          In use
        </HeadCell>
        <SortCell className="w-24" label="Waiting" isNumber {...sortable("waiting")} />
        <SortCell className="w-24" label="Oldest" isNumber {...sortable("oldest")} />
        <HeadCell isNumber className="w-20" title="Tenants below their share">
          Below
        </HeadCell>
        <HeadCell className="hidden w-80 lg:table-cell">Groups</HeadCell>
      </tr>
    </thead>
  );
}

/** On a phone: the name with its state, slots with who is below its share, and what waits with the oldest wait. */
export function NarrowPoolHead({ sort, direction, onSort }: Readonly<PoolHeadProps>) {
  const sortable = (key: PoolSortKey) => ({
    direction: key === sort ? direction : null,
    onSort: () => onSort(key),
  });
  return (
    <thead>
      <tr aria-rowindex={1}>
        <SortCell label="Pool" {...sortable("name")} />
        <SortCell className="w-24 px-1" label="In use" isNumber {...sortable("fullest")} />
        <SortCell className="w-26 pl-1" label="Waiting" isNumber {...sortable("waiting")} />
      </tr>
    </thead>
  );
}

const SORT_LABELS: Record<PoolSortKey, string> = {
  fullest: "Fullest first",
  name: "By name",
  waiting: "Most waiting first",
  oldest: "Oldest wait first",
};

/** The order in words, and a way to change it where heads are few. */
export function PoolSort({ sort, onSort }: Readonly<Pick<PoolHeadProps, "sort" | "onSort">>) {
  return (
    <select
      aria-label="Order of the pools"
      value={sort}
      onChange={(event) => onSort(event.target.value as PoolSortKey)}
      className={cn(INPUT, "w-44 border-line text-text-2")}
    >
      {POOL_SORTS.map((key) => (
        <option key={key} value={key}>
          {SORT_LABELS[key]}
        </option>
      ))}
    </select>
  );
}

import { HeadCell } from "../../components/ui/table";

export function TenantHead() {
  return (
    <thead>
      <tr aria-rowindex={1}>
        <HeadCell className="pl-10 first:pl-10">Tenant</HeadCell>
        <HeadCell className="w-44">Group</HeadCell>
        <HeadCell isNumber className="w-20">
          Share
        </HeadCell>
        <HeadCell isNumber className="w-28">
          In use
        </HeadCell>
        <HeadCell isNumber className="w-24">
          Waiting
        </HeadCell>
        <HeadCell isNumber className="w-24">
          Oldest
        </HeadCell>
        <HeadCell isNumber className="w-20">
          Place
        </HeadCell>
        <HeadCell className="w-48 pl-5">Standing</HeadCell>
      </tr>
    </thead>
  );
}

/** On a phone: the name with its standing, slots with the share, and what waits with place and oldest wait. */
export function NarrowTenantHead() {
  return (
    <thead>
      <tr aria-rowindex={1}>
        <HeadCell className="pl-10 first:pl-10">Tenant</HeadCell>
        <HeadCell isNumber className="w-20 px-1">
          In use
        </HeadCell>
        <HeadCell isNumber className="w-24 pl-1">
          Waiting
        </HeadCell>
      </tr>
    </thead>
  );
}

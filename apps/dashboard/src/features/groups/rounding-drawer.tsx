"use client";

import { splitSteps } from "@obleth/fairshare/shares";
import { Cell, HeadCell, Table, TableFrame } from "../../components/ui/table";
import { formatExact, listWords, slotCount } from "../../lib/format";

interface RoundingProps {
  size: number;
  groups: readonly { readonly name: string; readonly weight: number }[];
}

/** How a pool's slots become whole shares, step by step. */
export function RoundingSteps({ size, groups }: Readonly<RoundingProps>) {
  const steps = splitSteps(
    size,
    groups.map((group) => ({ id: group.name, weight: group.weight, score: 0 })),
  );
  const results = steps.map((step) => formatExact(step.result)).join(", ");
  const lifts = steps.filter((step) => step.paidBy !== null);
  const payers = [...new Set(lifts.map((step) => step.paidBy))];
  const liftedBy = (payer: string | null) => lifts.filter((step) => step.paidBy === payer).map((step) => step.id);
  return (
    <section aria-label="How the slots are rounded" className="border-t">
      <h3 className="px-4 pt-3 text-small font-medium">
        How {slotCount(size)} {size === 1 ? "becomes" : "become"} {results || "nothing"}
      </h3>
      <p className="max-w-[72ch] px-4 pt-1 text-small text-text-2">
        Each group's exact part is rounded down; the slots left over go to the largest remainders. A group that would
        get nothing is lifted to one by the group furthest above its exact part. Equal remainders take turns.
      </p>
      <TableFrame className="mt-2">
        <Table aria-label="Rounding" isStacked>
          <thead>
            <tr>
              <HeadCell>Group</HeadCell>
              <HeadCell isNumber>Weight</HeadCell>
              <HeadCell isNumber>Exact part</HeadCell>
              <HeadCell isNumber>Whole</HeadCell>
              <HeadCell isNumber>Remainder</HeadCell>
              <HeadCell isNumber>Left over</HeadCell>
              <HeadCell isNumber>Lift</HeadCell>
              <HeadCell isNumber>Result</HeadCell>
            </tr>
          </thead>
          <tbody>
            {steps.map((step) => (
              <tr key={step.id} data-step={step.id} className="border-t">
                <th scope="row" className="name h-(--row) px-3 pl-4 text-left font-medium">
                  {step.id}
                </th>
                <Cell isNumber label="Weight">
                  {formatExact(step.weight)}
                </Cell>
                <Cell isNumber label="Exact part">
                  {step.quota.toFixed(3)}
                </Cell>
                <Cell isNumber label="Whole">
                  {step.whole}
                </Cell>
                <Cell isNumber label="Remainder">
                  {(step.remainder / step.remainderOf).toFixed(3)}
                </Cell>
                <Cell isNumber label="Left over">
                  {step.leftOver === 0 ? "" : "+1"}
                </Cell>
                <Cell isNumber label="Lift">
                  {step.lift === 0 ? "" : step.lift > 0 ? `+${step.lift}` : `−${-step.lift}`}
                </Cell>
                <Cell isNumber label="Result" className="font-medium">
                  <span data-field="result" data-value={step.result}>
                    {formatExact(step.result)}
                  </span>
                </Cell>
              </tr>
            ))}
          </tbody>
        </Table>
      </TableFrame>
      {lifts.length > 0 ? (
        <p className="px-4 py-2 text-small text-text-2">
          {payers.map((payer) => `${payer} paid for the lift of ${listWords(liftedBy(payer))}`).join("; ")}.
        </p>
      ) : null}
      {size < groups.length ? (
        <p className="px-4 py-2 text-small text-text-2">
          With fewer slots than groups each group counts as one share, and they take turns.
        </p>
      ) : null}
    </section>
  );
}

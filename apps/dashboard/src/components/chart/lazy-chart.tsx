"use client";

import dynamic from "next/dynamic";
import { zoneName } from "../../lib/format";
import { useInView } from "../../lib/use-in-view";
import { useIsQuiet } from "../../lib/use-is-quiet";
import type { StepChartProps } from "./step-chart";

const StepChart = dynamic(() => import("./step-chart"), { ssr: false });

interface LazyChartProps extends StepChartProps {
  label: string;
  /** Another chart below names the zone of the times. */
  isZoneHidden?: boolean;
}

/** The chart behind a placeholder of its exact height; its code loads when it is in view and the page stands. */
export function LazyChart({ label, isZoneHidden, ...props }: Readonly<LazyChartProps>) {
  const [ref, isSeen] = useInView<HTMLDivElement>();
  const isQuiet = useIsQuiet();
  return (
    <figure aria-label={label} className="m-0">
      <div ref={ref} style={{ height: props.heightPx }}>
        {isSeen && isQuiet ? <StepChart {...props} /> : null}
      </div>
      {isZoneHidden ? null : (
        <figcaption className="h-4 text-right text-micro text-text-3" data-zone>
          {isSeen ? zoneName(props.zone) : null}
        </figcaption>
      )}
    </figure>
  );
}

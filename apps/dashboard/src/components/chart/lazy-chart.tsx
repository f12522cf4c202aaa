"use client";

import dynamic from "next/dynamic";
import { useInView } from "../../lib/use-in-view";
import { useIsQuiet } from "../../lib/use-is-quiet";
import type { StepChartProps } from "./step-chart";

const StepChart = dynamic(() => import("./step-chart"), { ssr: false });

/** The chart behind a placeholder of its exact height; its code loads when it is in view and the page stands. */
export function LazyChart({ label, ...props }: Readonly<StepChartProps & { label: string }>) {
  const [ref, isSeen] = useInView<HTMLDivElement>();
  const isQuiet = useIsQuiet();
  return (
    <figure aria-label={label} className="m-0">
      <div ref={ref} style={{ height: props.heightPx }}>
        {isSeen && isQuiet ? <StepChart {...props} /> : null}
      </div>
    </figure>
  );
}

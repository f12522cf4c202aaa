"use client";

import dynamic from "next/dynamic";
import { useInView } from "../../lib/use-in-view";
import type { StepChartProps } from "./step-chart";

const StepChart = dynamic(() => import("./step-chart"), { ssr: false });

/** The chart behind a placeholder of its exact height; its code loads when it comes into view. */
export function LazyChart({ label, ...props }: Readonly<StepChartProps & { label: string }>) {
  const [ref, isSeen] = useInView<HTMLDivElement>();
  return (
    <figure aria-label={label} className="m-0">
      <div ref={ref} style={{ height: props.heightPx }}>
        {isSeen ? <StepChart {...props} /> : null}
      </div>
    </figure>
  );
}

"use client";

import { GroupMark } from "../../components/ui/group-mark";
import { cn } from "../../lib/cn";

const NAMES = ["Blue", "Clay", "Green", "Violet", "Olive", "Wine", "Grey"];

/** One of the six colours, or the shared grey. */
export function GroupColorField({ color, onColor }: Readonly<{ color: number; onColor: (color: number) => void }>) {
  const shown = Math.min(color, NAMES.length - 1);
  return (
    <fieldset>
      <legend className="mb-1 text-micro text-text-2">Colour</legend>
      <div className="flex flex-wrap gap-1">
        {NAMES.map((name, index) => (
          <label
            key={name}
            className={cn(
              "flex h-8 items-center gap-1.5 rounded-control border px-2 text-micro has-focus-visible:outline-2 has-focus-visible:outline-focus",
              index === shown ? "border-text" : "border-line text-text-2",
            )}
          >
            <input
              type="radio"
              name="group-color"
              className="sr-only"
              checked={index === shown}
              onChange={() => onColor(index)}
            />
            <GroupMark color={index} />
            {name}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

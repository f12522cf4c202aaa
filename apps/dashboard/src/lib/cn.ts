import { type ClassValue, clsx } from "clsx";
import { extendTailwindMerge } from "tailwind-merge";

const merge = extendTailwindMerge({
  extend: { classGroups: { "font-size": [{ text: ["display", "h1", "h2", "body", "small", "micro"] }] } },
});

/** Class names joined; of two that set the same property the later wins. */
export function cn(...values: ClassValue[]): string {
  return merge(clsx(values));
}

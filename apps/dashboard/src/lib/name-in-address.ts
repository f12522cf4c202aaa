/** One line of text, as short as the API takes names. */
const NAME = /^[^\p{Cc}\p{Cs}]{1,400}$/u;

/** A name in an address; null when there is none, or when it is what nothing can be called and the API would refuse. */
export function nameInAddress(text: string | null): string | null {
  return text !== null && NAME.test(text) ? text : null;
}

/** A name in a path, as the framework hands it on: still encoded. Null as above, and for an escape that is broken. */
export function nameInPath(segment: string): string | null {
  try {
    return nameInAddress(decodeURIComponent(segment));
  } catch {
    return null;
  }
}

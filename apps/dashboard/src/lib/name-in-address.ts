/** One line of text, as short as the API takes names. */
const NAME = /^[^\p{Cc}\p{Cs}]{1,400}$/u;

/** A name in an address; null when there is none, or when it is what nothing can be called and the API would refuse. */
export function nameInAddress(text: string | null): string | null {
  return text !== null && NAME.test(text) ? text : null;
}

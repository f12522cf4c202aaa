/** Which of many objects the palette draws for what is typed: its own search only ranks what is drawn. */

/** Those with the letters of the text in their order, with the whole text in one piece first, and no more than so many. */
export function paletteMatches<Entry extends { readonly label: string }>(
  entries: readonly Entry[],
  { text, prefix, most }: { text: string; prefix: string; most: number },
): Entry[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === "") return entries.slice(0, most);
  const whole: Entry[] = [];
  const scattered: Entry[] = [];
  for (const entry of entries) {
    const name = `${prefix} ${entry.label}`.toLowerCase();
    if (name.includes(wanted)) whole.push(entry);
    else if (hasInOrder(name, wanted)) scattered.push(entry);
    if (whole.length >= most) break;
  }
  return [...whole, ...scattered].slice(0, most);
}

function hasInOrder(name: string, letters: string): boolean {
  let at = 0;
  for (const letter of letters) {
    if (letter.trim() === "") continue;
    at = name.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return true;
}

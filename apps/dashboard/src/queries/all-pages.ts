/** Lists are read whole: what filters, counts and chooses from them must not leave out whoever stands on a later page. */

/** The most that one answer gives. */
const PAGE = 500;
/** 10,000 objects; a list that is longer says that it was cut. */
const MAX_PAGES = 20;

export interface Listed<Item> {
  readonly items: Item[];
  readonly next_cursor: string | null;
  readonly total: number;
}

export interface PageAsked {
  readonly limit: number;
  readonly cursor?: string;
}

/** All pages as one. Where there are too many, those that were read, with the cursor of the next. */
export async function allPages<Item>(read: (asked: PageAsked) => Promise<Listed<Item>>): Promise<Listed<Item>> {
  const first = await read({ limit: PAGE });
  const items = [...first.items];
  let next_cursor = first.next_cursor;
  for (let page = 1; page < MAX_PAGES && next_cursor !== null; page += 1) {
    const answer: Listed<Item> = await read({ limit: PAGE, cursor: next_cursor });
    items.push(...answer.items);
    next_cursor = answer.next_cursor;
  }
  return { items, next_cursor, total: first.total };
}

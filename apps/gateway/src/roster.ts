/**
 * A set of what is under way, for members that come and go with every request. A `Set` would do, but at that rate it
 * outgrows its table many times a second, and the garbage collector has to copy whatever the old tables still name: whole
 * requests, long after they have ended. Here a member knows its place in a plain array.
 */
export interface Listed {
  /** Place in the roster it is in; -1 outside. One member is in one roster at a time. */
  rosterPlace: number;
}

export class Roster<Member extends Listed> {
  readonly #members: Member[] = [];

  get size(): number {
    return this.#members.length;
  }

  /** Adds a member that is in no roster. O(1). */
  add(member: Member): void {
    member.rosterPlace = this.#members.length;
    this.#members.push(member);
  }

  /** Takes a member out; one that is not in does nothing. O(1). */
  delete(member: Member): void {
    const place = member.rosterPlace;
    if (place < 0) return;
    member.rosterPlace = -1;
    const last = this.#members.pop();
    if (last === undefined || last === member) return;
    last.rosterPlace = place;
    this.#members[place] = last;
  }

  /** Every member in no useful order. Members may come and go meanwhile: those that stay are visited. */
  *[Symbol.iterator](): Generator<Member> {
    for (let place = this.#members.length - 1; place >= 0; place--) {
      const member = this.#members[place];
      if (member !== undefined) yield member;
    }
  }
}

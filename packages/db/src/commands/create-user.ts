import type { Db } from "../client";
import { findUser, findUserByEmail, type UserRow } from "../queries/read-users";
import { users } from "../schema";
import { type ChangeContext, type Changed, change } from "./change";
import { Refusal } from "./refusal";

export interface NewUser {
  readonly email: string;
  readonly role: "admin" | "viewer";
  /** argon2id; null: the person chooses a password with a reset link. */
  readonly passwordHash: string | null;
}

/** Makes a person who may sign in. Emails are kept in lower case; one that is taken is refused. */
export function createUser(db: Db, context: ChangeContext, user: NewUser): Promise<Changed<UserRow>> {
  return change(db, context, async (inside) => {
    const email = user.email.toLowerCase();
    if ((await findUserByEmail(inside.tx, email)) !== undefined) {
      throw new Refusal("already_exists", `There is a user with the email ${email} already.`, "email");
    }
    const [added] = await inside.tx
      .insert(users)
      .values({ ...user, email, createdAt: inside.now, updatedAt: inside.now })
      .returning({ id: users.id });
    const row = added && (await findUser(inside.tx, added.id));
    if (row === undefined) throw new Error("a row just inserted is not there");
    inside.audit({
      action: "user.create",
      type: "user",
      id: row.id,
      name: email,
      before: null,
      after: { email, role: row.role },
    });
    inside.touch({ kind: "user", id: row.id });
    return row;
  });
}

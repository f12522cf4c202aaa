"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../../components/ui/button";
import { AlertDialog, Dialog } from "../../components/ui/dialog";
import { Failure } from "../../components/ui/failure";
import { SelectField, TextField } from "../../components/ui/field";
import { Panel } from "../../components/ui/panel";
import { SkeletonRows } from "../../components/ui/skeleton";
import { Cell, HeadCell, Table, TableFrame } from "../../components/ui/table";
import { api, errorField, errorMessage } from "../../lib/api";
import { formatAgo, formatDayTime } from "../../lib/format";
import { usePreferences } from "../../lib/preferences";
import { NEEDS_ADMIN, useSession } from "../../lib/session";
import { useNow } from "../../lib/use-now";
import { useSave } from "../../lib/use-save";
import { usersQuery } from "../../queries/users";
import type { User } from "../../queries/wire";
import { PasswordPanel } from "./password-panel";
import { ResetLinkDialog } from "./reset-link-dialog";

/** Who may sign in, and the reader's own password. */
export function PeopleTab() {
  const { isAdmin } = useSession();
  const [isAdding, setIsAdding] = useState(false);
  const { data, error, refetch } = useQuery({ ...usersQuery(), enabled: isAdmin });
  return (
    <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
      <Panel
        title="People"
        bodyClassName="p-0"
        actions={
          <Button disabled={!isAdmin} title={isAdmin ? undefined : NEEDS_ADMIN} onClick={() => setIsAdding(true)}>
            Add a person
          </Button>
        }
      >
        {isAdmin ? null : <p className="p-4 text-small text-text-2">{NEEDS_ADMIN}.</p>}
        {error && !data ? <Failure what="Cannot read the people" error={error} onRetry={() => void refetch()} /> : null}
        {data ? (
          <UserTable users={data.items} />
        ) : isAdmin && !error ? (
          <SkeletonRows rows={3} label="Reading the people" />
        ) : null}
      </Panel>
      <PasswordPanel />
      {isAdding ? <AddPerson onClose={() => setIsAdding(false)} /> : null}
    </div>
  );
}

function UserTable({ users }: Readonly<{ users: readonly User[] }>) {
  const nowMs = useNow(10_000);
  const admins = users.filter((user) => user.role === "admin").length;
  return (
    <TableFrame>
      <Table aria-label="People" isStacked>
        <thead>
          <tr>
            <HeadCell>Email</HeadCell>
            <HeadCell>Role</HeadCell>
            <HeadCell>Last sign-in</HeadCell>
            <HeadCell isNumber>Sessions</HeadCell>
            <HeadCell>
              <span className="sr-only">Actions</span>
            </HeadCell>
          </tr>
        </thead>
        <tbody>
          {users.map((user) => (
            <tr key={user.id} data-user={user.email} className="border-b last:border-b-0">
              <th scope="row" className="h-(--row) px-3 pl-4 text-left font-medium">
                <span className="name">{user.email}</span>
              </th>
              <Cell label="Role" stack="wide">
                <RoleSelect user={user} isLastAdmin={user.role === "admin" && admins === 1} />
              </Cell>
              <Cell label="Last sign-in" className="num whitespace-nowrap text-text-2">
                {user.last_sign_in_ts_ms === null ? "never" : formatAgo(nowMs - user.last_sign_in_ts_ms)}
              </Cell>
              <Cell isNumber label="Sessions">
                {user.active_sessions}
              </Cell>
              <Cell stack="wide">
                <UserActions user={user} isLastAdmin={user.role === "admin" && admins === 1} />
              </Cell>
            </tr>
          ))}
        </tbody>
      </Table>
    </TableFrame>
  );
}

function RoleSelect({ user, isLastAdmin }: Readonly<{ user: User; isLastAdmin: boolean }>) {
  const save = useSave();
  return (
    <>
      <select
        aria-label={`Role of ${user.email}`}
        value={user.role}
        disabled={isLastAdmin || save.isPending}
        title={isLastAdmin ? "The last admin stays one" : undefined}
        onChange={(event) => {
          const role = event.target.value as User["role"];
          save.mutate({
            done: `${user.email} is ${role} now`,
            send: () => api.call("updateUser", { params: { id: user.id }, body: { role } }),
          });
        }}
        className="h-7 rounded-control border border-edge bg-card px-1.5 text-small disabled:opacity-60"
      >
        <option value="admin">Admin</option>
        <option value="viewer">Viewer</option>
      </select>
      {save.error ? (
        <span role="alert" className="block text-micro text-urgent">
          {errorMessage(save.error)}
        </span>
      ) : null}
    </>
  );
}

function UserActions({ user, isLastAdmin }: Readonly<{ user: User; isLastAdmin: boolean }>) {
  const [layer, setLayer] = useState<"reset" | "sessions" | "remove" | null>(null);
  const save = useSave();
  const { clock } = usePreferences();
  const close = () => setLayer(null);
  const params = { id: user.id };
  return (
    <span className="flex justify-end gap-1" title={`Added ${formatDayTime(Date.parse(user.created_at), clock)}`}>
      <Button size="small" variant="ghost" onClick={() => setLayer("reset")}>
        Reset link
      </Button>
      <Button size="small" variant="ghost" disabled={user.active_sessions === 0} onClick={() => setLayer("sessions")}>
        End sessions
      </Button>
      <Button
        size="small"
        variant="ghost"
        disabled={isLastAdmin}
        title={isLastAdmin ? "The last admin cannot be removed" : undefined}
        onClick={() => setLayer("remove")}
      >
        Remove
      </Button>
      {layer === "reset" ? <ResetLinkDialog user={user} onClose={close} /> : null}
      <AlertDialog
        isOpen={layer === "sessions" || layer === "remove"}
        title={layer === "remove" ? `Remove ${user.email}?` : `End the sessions of ${user.email}?`}
        confirmLabel={layer === "remove" ? "Remove" : "End sessions"}
        isPending={save.isPending}
        onCancel={close}
        onConfirm={() =>
          layer === "remove"
            ? save.mutate({
                done: `${user.email} removed`,
                send: () => api.call("deleteUser", { params }),
                onSaved: close,
              })
            : save.mutate({
                done: `Sessions of ${user.email} ended`,
                send: () => api.call("endUserSessions", { params }),
                onSaved: close,
              })
        }
      >
        <p>
          {layer === "remove"
            ? "They are signed out at once. What they changed stays in the audit."
            : "They are signed out everywhere and may sign in again."}
        </p>
        {save.error ? <p role="alert">{errorMessage(save.error)}</p> : null}
      </AlertDialog>
    </span>
  );
}

function AddPerson({ onClose }: Readonly<{ onClose: () => void }>) {
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<User["role"]>("viewer");
  const [added, setAdded] = useState<User | null>(null);
  const save = useSave<Awaited<ReturnType<typeof createUser>>>();
  if (added !== null) return <ResetLinkDialog user={added} onClose={onClose} />;
  const field = errorField(save.error);
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Add a person"
      description="They choose a password with a link you pass on."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant="primary"
            disabled={email.trim() === "" || save.isPending}
            onClick={() =>
              save.mutate({
                done: `${email.trim()} added`,
                send: () => createUser(email.trim(), role),
                onSaved: ({ data }) => setAdded(data),
              })
            }
          >
            Add and make the link
          </Button>
        </>
      }
    >
      <div className="space-y-4">
        <TextField
          label="Email"
          type="email"
          value={email}
          onValue={setEmail}
          error={save.error ? `${field === "email" ? "" : "Not added. "}${errorMessage(save.error)}` : null}
        />
        <SelectField
          label="Role"
          value={role}
          onValue={(next) => setRole(next as User["role"])}
          options={[
            { value: "viewer", label: "Viewer: sees everything" },
            { value: "admin", label: "Admin: changes everything" },
          ]}
        />
      </div>
    </Dialog>
  );
}

function createUser(email: string, role: User["role"]) {
  return api.call("createUser", { body: { email, role } });
}

"use client";

import { useState } from "react";
import { api, errorMessage } from "../../lib/api";
import { formatAgo, formatDayTime } from "../../lib/format";
import { usePreferences } from "../../lib/preferences";
import { useSession } from "../../lib/session";
import { useNow } from "../../lib/use-now";
import { useSave } from "../../lib/use-save";
import { keyQuery } from "../../queries/objects";
import type { Key } from "../../queries/wire";
import { Button } from "../ui/button";
import { AlertDialog, Dialog } from "../ui/dialog";
import { SelectField } from "../ui/field";
import { SecretDialog } from "./secret-dialog";
import { useSecret } from "./use-secret";

/** A new secret, and the ways a key ends: disabled first, revoked for good. */
export function KeyActions({ entry, onGone }: Readonly<{ entry: Key; onGone: () => void }>) {
  const { isAdmin } = useSession();
  const [layer, setLayer] = useState<"rotate" | "revoke" | null>(null);
  const save = useSave();
  const nowMs = useNow(10_000);
  const lastUsed = entry.last_used_ts_ms;
  const setDisabled = (disabled: boolean) =>
    save.mutate({
      done: `Key ${entry.name} is ${disabled ? "disabled" : "on again"}`,
      send: () => api.call("updateKey", { params: { id: entry.id }, body: { disabled } }),
    });
  const revoke = () =>
    save.mutate({
      done: `Key ${entry.name} revoked`,
      send: () => api.call("deleteKey", { params: { id: entry.id } }),
      gone: keyQuery(entry.id).queryKey,
      onSaved: onGone,
    });
  return (
    <section aria-label="Secret and end" className="space-y-3 border-t pt-4">
      <Overlap entry={entry} />
      <div className="flex flex-wrap gap-2">
        <Button disabled={!isAdmin} onClick={() => setLayer("rotate")}>
          Rotate the secret
        </Button>
        <Button disabled={!isAdmin || save.isPending} onClick={() => setDisabled(!entry.disabled)}>
          {entry.disabled ? "Turn on again" : "Disable"}
        </Button>
        <Button variant="danger" disabled={!isAdmin} onClick={() => setLayer("revoke")}>
          Revoke
        </Button>
      </div>
      <p className="text-micro text-text-3">
        Leaked? Rotate with no overlap: the old secret stops at once and the key keeps its settings.
      </p>
      {save.error && layer === null ? (
        <p role="alert" className="text-small text-urgent">
          {errorMessage(save.error)}
        </p>
      ) : null}
      {layer === "rotate" ? <RotateDialog entry={entry} onClose={() => setLayer(null)} /> : null}
      <AlertDialog
        isOpen={layer === "revoke"}
        title={`Revoke ${entry.name}?`}
        confirmLabel="Revoke"
        isPending={save.isPending}
        onCancel={() => setLayer(null)}
        onConfirm={revoke}
      >
        <p>
          {lastUsed === null ? "It was never used." : `It was last used ${formatAgo(nowMs - lastUsed)}.`} New requests
          with it get 401 on every gateway within a second. Running ones finish. This cannot be undone; disabling can.
        </p>
        {save.error ? <p role="alert">{errorMessage(save.error)}</p> : null}
      </AlertDialog>
    </section>
  );
}

function Overlap({ entry }: Readonly<{ entry: Key }>) {
  const { isAdmin } = useSession();
  const { clock } = usePreferences();
  const nowMs = useNow(10_000);
  const save = useSave();
  const endsMs = entry.previous_secret_expires_ts_ms;
  if (endsMs === null || endsMs <= nowMs) return null;
  const used = entry.previous_secret_last_used_ts_ms;
  return (
    <p className="flex flex-wrap items-center gap-2 text-small">
      <span className="num">
        The old secret works until {formatDayTime(endsMs, clock)},{" "}
        {used === null ? "not used since the rotation" : `last used ${formatAgo(nowMs - used)}`}.
      </span>
      <Button
        size="small"
        disabled={!isAdmin || save.isPending}
        onClick={() =>
          save.mutate({
            done: `Old secret of ${entry.name} ended`,
            send: () => api.call("endPreviousSecret", { params: { id: entry.id } }),
            isUnplaced: true,
          })
        }
      >
        End now
      </Button>
    </p>
  );
}

const OVERLAPS = [
  { value: "0", label: "None: it stops at once" },
  { value: "3600", label: "1 hour" },
  { value: "86400", label: "24 hours" },
  { value: "604800", label: "7 days" },
];

function RotateDialog({ entry, onClose }: Readonly<{ entry: Key; onClose: () => void }>) {
  const [overlap, setOverlap] = useState("86400");
  const secret = useSecret();
  if (secret.shown !== null) {
    return <SecretDialog keyName={secret.shown.keyName} secret={secret.shown.secret} onStored={onClose} />;
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={`Rotate ${entry.name}`}
      description="The key stays the same; it gets a new secret."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant="primary"
            disabled={secret.isPending}
            onClick={() =>
              secret.ask(() =>
                api.call("rotateKey", { params: { id: entry.id }, body: { overlap_secs: Number(overlap) } }),
              )
            }
          >
            Rotate
          </Button>
        </>
      }
    >
      <SelectField
        label="How long the old secret goes on working"
        value={overlap}
        onValue={setOverlap}
        options={OVERLAPS}
        error={secret.error ? errorMessage(secret.error) : null}
      />
    </Dialog>
  );
}

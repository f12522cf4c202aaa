"use client";

import { useState } from "react";
import { Button } from "../../components/ui/button";
import { AlertDialog, Dialog } from "../../components/ui/dialog";
import { api, errorMessage } from "../../lib/api";
import { formatDayTime } from "../../lib/format";
import { usePreferences } from "../../lib/preferences";
import type { User } from "../../queries/wire";

/** A link that lets someone choose a password, once; shown this once and kept nowhere. */
export function ResetLinkDialog({ user, onClose }: Readonly<{ user: User; onClose: () => void }>) {
  const { clock } = usePreferences();
  const [link, setLink] = useState<{ url: string; expiresMs: number } | null>(null);
  const [error, setError] = useState<unknown>(null);
  const make = async () => {
    try {
      const { data } = await api.call("createResetLink", { params: { id: user.id } });
      setLink({ url: `${location.origin}${data.path}`, expiresMs: Date.parse(data.expires_at) });
    } catch (failure) {
      setError(failure);
    }
  };
  if (link !== null) {
    return (
      <AlertDialog isOpen title={`Reset link for ${user.email}`} confirmLabel="I have passed it on" onConfirm={onClose}>
        <p className="num">It works once, until {formatDayTime(link.expiresMs, clock)}. It is shown this once.</p>
        <input
          readOnly
          aria-label="Reset link"
          value={link.url}
          onFocus={(event) => event.target.select()}
          className="h-10 w-full rounded-control border border-edge bg-subtle px-3 font-mono text-micro text-text"
        />
        <Button onClick={() => void navigator.clipboard?.writeText(link.url)}>Copy</Button>
      </AlertDialog>
    );
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={`Reset link for ${user.email}`}
      description="It lets whoever has it choose a new password."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" onClick={() => void make()}>
            Make the link
          </Button>
        </>
      }
    >
      {error ? (
        <p role="alert" className="text-small text-urgent">
          {errorMessage(error)}
        </p>
      ) : null}
    </Dialog>
  );
}

"use client";

import { AlertDialog } from "../../components/ui/dialog";

/** Shown once when the gateway no longer knows the session; what was typed is kept for the way back. */
export function SignedOutDialog({ isOpen }: Readonly<{ isOpen: boolean }>) {
  const signIn = () => {
    const here = `${location.pathname}${location.search}${location.hash}`;
    location.assign(`/login?ended=1&next=${encodeURIComponent(here)}`);
  };
  return (
    <AlertDialog isOpen={isOpen} title="Your session has ended" confirmLabel="Sign in" onConfirm={signIn}>
      <p>Sign in again to go on. You come back to this page, and drafts are kept.</p>
    </AlertDialog>
  );
}

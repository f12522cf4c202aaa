"use client";

import { type ReactNode, useState } from "react";
import { errorMessage } from "../../lib/api";
import { AlertDialog } from "../ui/dialog";
import { TextField } from "../ui/field";

interface ConfirmByNameProps {
  title: string;
  /** What has to be typed. */
  name: string;
  confirmLabel: string;
  isPending: boolean;
  error: unknown;
  onConfirm: () => void;
  onCancel: () => void;
  children: ReactNode;
}

/** Asks for the name of what is about to be lost. */
export function ConfirmByName(props: Readonly<ConfirmByNameProps>) {
  const [typed, setTyped] = useState("");
  return (
    <AlertDialog
      isOpen
      title={props.title}
      confirmLabel={props.confirmLabel}
      isPending={props.isPending}
      isBlocked={typed !== props.name}
      onConfirm={props.onConfirm}
      onCancel={props.onCancel}
    >
      {props.children}
      <TextField label={`Type ${props.name} to confirm`} value={typed} onValue={setTyped} autoComplete="off" />
      {props.error ? <p role="alert">{errorMessage(props.error)}</p> : null}
    </AlertDialog>
  );
}

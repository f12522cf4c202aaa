"use client";

import { MIN_PASSWORD_LENGTH } from "@obleth/contract/bounds";
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { Button } from "../../components/ui/button";
import { TextField } from "../../components/ui/field";
import { Panel } from "../../components/ui/panel";
import { api, errorMessage } from "../../lib/api";
import { notifySuccess } from "../../lib/notify";

/** The reader's own password. */
export function PasswordPanel() {
  const [current, setCurrent] = useState("");
  const [next, setNext] = useState("");
  const change = useMutation({
    mutationFn: () => api.call("changePassword", { body: { current_password: current, new_password: next } }),
    onSuccess: () => {
      setCurrent("");
      setNext("");
      notifySuccess("Password changed");
    },
    gcTime: 0,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate();
  };
  return (
    <Panel title="Your password">
      <form onSubmit={submit} className="space-y-4">
        <TextField
          label="Current password"
          type="password"
          autoComplete="current-password"
          value={current}
          onValue={setCurrent}
        />
        <TextField
          label="New password"
          type="password"
          autoComplete="new-password"
          value={next}
          onValue={setNext}
          hint={`At least ${MIN_PASSWORD_LENGTH} characters`}
        />
        {change.error ? (
          <p role="alert" className="text-small text-urgent">
            {errorMessage(change.error)}
          </p>
        ) : null}
        <Button
          type="submit"
          variant="primary"
          disabled={current === "" || next.length < MIN_PASSWORD_LENGTH || change.isPending}
        >
          Change the password
        </Button>
      </form>
    </Panel>
  );
}

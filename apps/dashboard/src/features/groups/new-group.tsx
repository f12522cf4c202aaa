"use client";

import { useState } from "react";
import { Button } from "../../components/ui/button";
import { Dialog } from "../../components/ui/dialog";
import { TextField } from "../../components/ui/field";
import { api, errorField, errorMessage } from "../../lib/api";
import { NEEDS_ADMIN, useSession } from "../../lib/session";
import { useSave } from "../../lib/use-save";
import { parseWeight } from "../../lib/weight";

export function NewGroup() {
  const { isAdmin } = useSession();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button disabled={!isAdmin} title={isAdmin ? undefined : NEEDS_ADMIN} onClick={() => setIsOpen(true)}>
        New group
      </Button>
      {isOpen ? <NewGroupDialog onClose={() => setIsOpen(false)} /> : null}
    </>
  );
}

function NewGroupDialog({ onClose }: Readonly<{ onClose: () => void }>) {
  const [name, setName] = useState("");
  const [weight, setWeight] = useState("100");
  const save = useSave();
  const parsed = parseWeight(weight);
  const field = errorField(save.error);
  const trimmed = name.trim();
  const create = () => {
    if ("error" in parsed) return;
    save.mutate({
      done: `Group ${trimmed} made`,
      send: () => api.call("createGroup", { body: { name: trimmed, weight: parsed.value } }),
      onSaved: onClose,
    });
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="New group"
      description="It takes part in the split once one of its tenants has work."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" onClick={create} disabled={trimmed === "" || "error" in parsed || save.isPending}>
            Make the group
          </Button>
        </>
      }
    >
      <div className="space-y-4">
        <TextField
          label="Name"
          value={name}
          onValue={setName}
          error={save.error && field !== "weight" ? errorMessage(save.error) : null}
        />
        <TextField
          label="Weight"
          inputMode="numeric"
          value={weight}
          onValue={setWeight}
          error={"error" in parsed ? parsed.error : field === "weight" ? errorMessage(save.error) : null}
        />
      </div>
    </Dialog>
  );
}

"use client";

import { useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { Button } from "../../components/ui/button";
import { Dialog } from "../../components/ui/dialog";
import { SelectField, TextField } from "../../components/ui/field";
import { api, errorField, errorMessage } from "../../lib/api";
import { useSave } from "../../lib/use-save";
import { parseWeight } from "../../lib/weight";
import { groupsQuery } from "../../queries/objects";

export function NewTenant({ onClose }: Readonly<{ onClose: () => void }>) {
  const groups = useQuery(groupsQuery()).data?.items ?? [];
  const [name, setName] = useState("");
  const [group, setGroup] = useState("default");
  const [weight, setWeight] = useState("100");
  const parsed = parseWeight(weight);
  const save = useSave<Awaited<ReturnType<typeof create>>>();
  const router = useRouter();
  const field = errorField(save.error);
  const refused = (of: string) => (field === of ? errorMessage(save.error) : null);
  const send = () => {
    if ("error" in parsed) return;
    save.mutate({
      done: `Tenant ${name.trim()} added`,
      send: () => create({ name: name.trim(), group, weight: parsed.value }),
      onSaved: ({ data }) => {
        onClose();
        router.push(`/tenants/${data.id}?tab=keys`);
      },
    });
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Add a tenant"
      description="Next, make it a key."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" disabled={name.trim() === "" || "error" in parsed || save.isPending} onClick={send}>
            Add the tenant
          </Button>
        </>
      }
    >
      <div className="space-y-4">
        <TextField
          label="Name"
          value={name}
          onValue={setName}
          error={refused("name") ?? (save.error && field === null ? errorMessage(save.error) : null)}
        />
        <SelectField
          label="Group"
          value={group}
          onValue={setGroup}
          options={groups.map((one) => ({ value: one.name, label: one.name }))}
          error={refused("group")}
        />
        <TextField
          label="Weight"
          inputMode="numeric"
          value={weight}
          onValue={setWeight}
          error={"error" in parsed ? parsed.error : refused("weight")}
        />
      </div>
    </Dialog>
  );
}

function create(body: { name: string; group: string; weight: number }) {
  return api.call("createTenant", { body });
}

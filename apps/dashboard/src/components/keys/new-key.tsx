"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, errorField, errorMessage } from "../../lib/api";
import { parseSlots, parseWeight } from "../../lib/weight";
import { tenantsQuery } from "../../queries/objects";
import { Button } from "../ui/button";
import { SelectField, TextField } from "../ui/field";
import { Sheet } from "../ui/sheet";
import { SecretDialog } from "./secret-dialog";
import { useSecret } from "./use-secret";

interface NewKeyProps {
  tenant: { readonly id: string; readonly name: string } | null;
  onClose: () => void;
}

/** Makes a key and shows its secret once. */
export function NewKey({ tenant, onClose }: Readonly<NewKeyProps>) {
  const tenants = useQuery({ ...tenantsQuery(), enabled: tenant === null }).data?.items ?? [];
  const [tenantId, setTenantId] = useState(tenant?.id ?? "");
  const [name, setName] = useState("");
  const [weight, setWeight] = useState("100");
  const [cap, setCap] = useState("");
  const [attempt] = useState(() => crypto.randomUUID());
  const secret = useSecret();
  const parsedWeight = parseWeight(weight);
  const parsedCap = cap.trim() === "" ? null : parseSlots(cap);
  const field = errorField(secret.error);
  const refused = (of: string) => (field === of ? errorMessage(secret.error) : null);
  const isReady =
    tenantId !== "" && name.trim() !== "" && "value" in parsedWeight && (parsedCap === null || "value" in parsedCap);
  const create = () => {
    if (!("value" in parsedWeight)) return;
    const body = {
      name: name.trim(),
      weight: parsedWeight.value,
      max_in_flight: parsedCap !== null && "value" in parsedCap ? parsedCap.value : null,
    };
    secret.ask(() => api.call("createKey", { params: { id: tenantId }, body }, { idempotencyKey: attempt }));
  };
  if (secret.shown !== null) {
    return <SecretDialog keyName={secret.shown.keyName} secret={secret.shown.secret} onStored={onClose} />;
  }
  return (
    <Sheet
      title="Make a key"
      description={tenant ? `For ${tenant.name}` : undefined}
      onClose={onClose}
      footer={
        <div className="flex gap-2">
          <Button variant="primary" size="large" disabled={!isReady || secret.isPending} onClick={create}>
            {secret.isPending ? "Making" : "Make the key"}
          </Button>
          <Button size="large" variant="ghost" onClick={onClose}>
            Cancel
          </Button>
        </div>
      }
    >
      {tenant === null ? (
        <SelectField
          label="Tenant"
          value={tenantId}
          onValue={setTenantId}
          options={[
            { value: "", label: "Choose a tenant" },
            ...tenants.map((one) => ({ value: one.id, label: one.name })),
          ]}
        />
      ) : null}
      <TextField
        label="Name"
        value={name}
        onValue={setName}
        hint="Where it is used, for example mobile or ci"
        error={refused("name")}
        autoComplete="off"
      />
      <TextField
        label="Weight"
        inputMode="numeric"
        value={weight}
        onValue={setWeight}
        hint="Against the tenant's other keys"
        error={"error" in parsedWeight ? parsedWeight.error : refused("weight")}
      />
      <TextField
        label="Cap"
        inputMode="numeric"
        value={cap}
        onValue={setCap}
        placeholder="no cap"
        hint="Most slots in one pool"
        error={parsedCap !== null && "error" in parsedCap ? parsedCap.error : refused("max_in_flight")}
      />
      {secret.error && field === null ? (
        <p role="alert" className="text-small text-urgent">
          No key was made. {errorMessage(secret.error)}
        </p>
      ) : null}
    </Sheet>
  );
}

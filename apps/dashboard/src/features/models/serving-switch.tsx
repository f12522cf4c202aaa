"use client";

import { Switch } from "radix-ui";
import { useId, useState } from "react";
import { AlertDialog } from "../../components/ui/dialog";
import { api, errorMessage } from "../../lib/api";
import { plural } from "../../lib/format";
import { NEEDS_ADMIN, useSession } from "../../lib/session";
import { useSave } from "../../lib/use-save";
import type { Versioned } from "../../queries/objects";
import type { Model } from "../../queries/wire";

interface ServingSwitchProps {
  model: Versioned<Model>;
  queued: number;
  inFlight: number;
}

/** Turns a model on, or off after asking. */
export function ServingSwitch({ model, queued, inFlight }: Readonly<ServingSwitchProps>) {
  const id = useId();
  const { isAdmin } = useSession();
  const [isAsking, setIsAsking] = useState(false);
  const save = useSave();
  const { data, etag } = model;
  const set = (enabled: boolean) =>
    save.mutate({
      done: `${data.name} is ${enabled ? "on" : "off"}`,
      send: () =>
        api.call("updateModel", { params: { id: data.id }, body: { enabled } }, etag === null ? {} : { ifMatch: etag }),
      onSaved: () => setIsAsking(false),
      isUnplaced: enabled,
    });
  return (
    <>
      <span className="flex items-center gap-2 text-small">
        <label htmlFor={id}>Serving</label>
        <Switch.Root
          id={id}
          checked={data.enabled}
          disabled={!isAdmin || save.isPending}
          title={isAdmin ? undefined : NEEDS_ADMIN}
          onCheckedChange={(enabled) => (enabled ? set(true) : setIsAsking(true))}
          className="relative h-6 w-10 rounded-full border border-edge bg-subtle transition-colors data-[state=checked]:border-text data-[state=checked]:bg-text disabled:opacity-50"
        >
          <Switch.Thumb className="block size-4 translate-x-1 rounded-full bg-edge transition-transform data-[state=checked]:translate-x-5 data-[state=checked]:bg-bg" />
        </Switch.Root>
      </span>
      <AlertDialog
        isOpen={isAsking}
        title={`Turn off ${data.name}?`}
        confirmLabel="Turn off"
        isPending={save.isPending}
        onCancel={() => setIsAsking(false)}
        onConfirm={() => set(false)}
      >
        <p>
          New requests for it are refused at once. Now {plural(inFlight, "request runs", "requests run")} to the end and{" "}
          {plural(queued, "request waits", "requests wait")}.
        </p>
        {save.error ? <p role="alert">{errorMessage(save.error)}</p> : null}
      </AlertDialog>
    </>
  );
}

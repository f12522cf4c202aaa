"use client";

import { Ellipsis } from "lucide-react";
import { useState } from "react";
import { Button } from "../../components/ui/button";
import { AlertDialog, Dialog } from "../../components/ui/dialog";
import { TextField } from "../../components/ui/field";
import { Popover, PopoverClose, PopoverContent, PopoverTrigger } from "../../components/ui/popover";
import { api, errorMessage } from "../../lib/api";
import { plural } from "../../lib/format";
import { NEEDS_ADMIN, useSession } from "../../lib/session";
import { useSave } from "../../lib/use-save";
import { GroupColorField } from "./group-color-field";
import type { GroupRow } from "./logic/group-rows";

/** Rename, recolour, delete. */
export function GroupMenu({ group }: Readonly<{ group: GroupRow }>) {
  const { isAdmin } = useSession();
  const [layer, setLayer] = useState<"edit" | "delete" | null>(null);
  const isFixed = group.name === "default";
  return (
    <>
      <Popover>
        <PopoverTrigger asChild>
          <Button
            variant="ghost"
            size="icon"
            aria-label={`More for ${group.name}`}
            disabled={!isAdmin}
            title={isAdmin ? undefined : NEEDS_ADMIN}
          >
            <Ellipsis className="size-4" aria-hidden="true" />
          </Button>
        </PopoverTrigger>
        <PopoverContent align="end" className="w-56 p-1" aria-label={`More for ${group.name}`}>
          <PopoverClose asChild>
            <Button variant="ghost" className="w-full justify-start" onClick={() => setLayer("edit")}>
              Name and colour
            </Button>
          </PopoverClose>
          <PopoverClose asChild>
            <Button
              variant="ghost"
              className="w-full justify-start"
              disabled={isFixed || group.tenantCount > 0}
              onClick={() => setLayer("delete")}
            >
              Delete
            </Button>
          </PopoverClose>
          <p className="px-3 pb-1 text-micro text-text-3">
            {isFixed
              ? "The default group always exists."
              : group.tenantCount > 0
                ? "Move its tenants away first."
                : null}
          </p>
        </PopoverContent>
      </Popover>
      {layer === "edit" ? <EditGroup group={group} onClose={() => setLayer(null)} /> : null}
      {layer === "delete" ? <DeleteGroup group={group} onClose={() => setLayer(null)} /> : null}
    </>
  );
}

function EditGroup({ group, onClose }: Readonly<{ group: GroupRow; onClose: () => void }>) {
  const [begun] = useState(group);
  const [name, setName] = useState(begun.name);
  const [color, setColor] = useState(begun.color);
  const save = useSave();
  const trimmed = name.trim();
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={`Group ${group.name}`}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant="primary"
            disabled={trimmed === "" || save.isPending}
            onClick={() =>
              save.mutate({
                done: trimmed === group.name ? `${group.name}: colour changed` : `${group.name} is ${trimmed}`,
                send: () =>
                  api.call("updateGroup", {
                    params: { name: group.name },
                    body: {
                      ...(color === begun.color ? {} : { color }),
                      ...(trimmed === begun.name ? {} : { name: trimmed }),
                    },
                  }),
                onSaved: onClose,
              })
            }
          >
            Save
          </Button>
        </>
      }
    >
      <div className="space-y-4">
        <TextField
          label="Name"
          value={name}
          onValue={setName}
          disabled={group.name === "default"}
          error={save.error ? errorMessage(save.error) : null}
        />
        <GroupColorField color={color} onColor={setColor} />
      </div>
    </Dialog>
  );
}

function DeleteGroup({ group, onClose }: Readonly<{ group: GroupRow; onClose: () => void }>) {
  const save = useSave();
  return (
    <AlertDialog
      isOpen
      title={`Delete group ${group.name}?`}
      confirmLabel="Delete"
      isPending={save.isPending}
      onCancel={onClose}
      onConfirm={() =>
        save.mutate({
          done: `Group ${group.name} deleted`,
          send: () => api.call("deleteGroup", { params: { name: group.name } }),
          onSaved: onClose,
        })
      }
    >
      <p>It has {plural(group.tenantCount, "tenant")}. Shares of the other groups do not change.</p>
      {save.error ? <p role="alert">{errorMessage(save.error)}</p> : null}
    </AlertDialog>
  );
}

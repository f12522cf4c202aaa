"use client";

import { type ReactNode, type RefObject, useEffect, useRef, useState } from "react";
import type { SaveTier } from "../../lib/save-tier";
import { NEEDS_ADMIN, useSession } from "../../lib/session";
import { Button } from "../ui/button";
import { AlertDialog } from "../ui/dialog";

export interface SaveAlert {
  readonly title: string;
  readonly text: string;
}

interface SaveBarProps {
  isDirty: boolean;
  isBlocked: boolean;
  isSaving: boolean;
  tier: SaveTier;
  /** Of a save with consequences: asked in a dialog of its own instead of a second step. */
  alert?: SaveAlert | null;
  onSave: () => void;
  onDiscard: () => void;
  saveLabel?: string;
  children?: ReactNode;
}

/** Save, in one step, in two, or asked about, and Discard. Ctrl or Cmd with Enter saves from anywhere in the form. */
export function SaveBar(props: Readonly<SaveBarProps>) {
  const { isDirty, isBlocked, isSaving, tier, alert = null, onSave, onDiscard, children } = props;
  const { isAdmin } = useSession();
  const [isAsking, setIsAsking] = useState(false);
  const canSave = isDirty && !isBlocked && !isSaving && isAdmin;
  const press = () => {
    if (!canSave) return;
    if ((tier.isTwoStep || alert !== null) && !isAsking) return setIsAsking(true);
    setIsAsking(false);
    onSave();
  };
  const isSecondStep = isAsking && alert === null;
  useEffect(() => {
    if (!isDirty) setIsAsking(false);
  }, [isDirty]);
  const bar = useSaveKey({ press, isSaving });
  return (
    <div ref={bar} className="flex flex-wrap items-center gap-2">
      <Button
        variant="primary"
        size="large"
        disabled={!canSave}
        onClick={press}
        title={isAdmin ? undefined : NEEDS_ADMIN}
      >
        {isSaving ? "Saving" : isSecondStep ? tier.confirm : (props.saveLabel ?? "Save")}
      </Button>
      {isSecondStep ? <Button onClick={() => setIsAsking(false)}>Not yet</Button> : null}
      <AlertDialog
        isOpen={isAsking && alert !== null}
        title={alert?.title}
        confirmLabel={tier.isTwoStep ? tier.confirm : "Apply"}
        onConfirm={press}
        onCancel={() => setIsAsking(false)}
      >
        <p>{alert?.text}</p>
      </AlertDialog>
      {isDirty && !isSecondStep ? (
        <Button variant="ghost" onClick={onDiscard} disabled={isSaving}>
          Discard
        </Button>
      ) : null}
      {isAdmin ? null : <span className="text-micro text-text-3">{NEEDS_ADMIN}</span>}
      {children}
    </div>
  );
}

/**
 * Belongs to the panel or dialog the bar stands in; elsewhere the keys do nothing. Pressed while a save is under way they are
 * kept until it is over, for what has been typed meanwhile.
 */
function useSaveKey({ press, isSaving }: { press: () => void; isSaving: boolean }): RefObject<HTMLDivElement | null> {
  const bar = useRef<HTMLDivElement>(null);
  const latest = useRef({ press, isSaving });
  latest.current = { press, isSaving };
  const isKept = useRef(false);
  useEffect(() => {
    if (isSaving || !isKept.current) return;
    isKept.current = false;
    latest.current.press();
  }, [isSaving]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
      const scope = bar.current?.closest("section, [role=dialog]") ?? document.body;
      if (!(event.target instanceof Node) || !scope.contains(event.target)) return;
      event.preventDefault();
      if (latest.current.isSaving) isKept.current = true;
      else latest.current.press();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
  return bar;
}

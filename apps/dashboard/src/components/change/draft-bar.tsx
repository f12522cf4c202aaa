import type { SaveTier } from "../../lib/save-tier";
import type { DraftSave } from "../../lib/use-draft-save";
import { AppliedNote } from "./applied-note";
import { LastChange } from "./last-change";
import { type SaveAlert, SaveBar } from "./save-bar";

interface DraftBarProps {
  objectId: string;
  save: DraftSave;
  isDirty: boolean;
  isBlocked: boolean;
  tier: SaveTier;
  alert?: SaveAlert | null;
  onDiscard: () => void;
}

/** Saves one object's draft, says who has it, and who changed it last. */
export function DraftBar({ objectId, save, ...bar }: Readonly<DraftBarProps>) {
  return (
    <div className="space-y-2">
      <SaveBar {...bar} isSaving={save.isPending} onSave={save.save}>
        <AppliedNote configVersion={save.configVersion} />
      </SaveBar>
      <LastChange objectId={objectId} />
    </div>
  );
}

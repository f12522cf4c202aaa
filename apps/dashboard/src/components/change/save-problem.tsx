import { errorMessage } from "../../lib/api";
import type { DraftSave } from "../../lib/use-draft-save";
import { ConflictNote } from "./conflict-note";

interface SaveProblemProps {
  objectId: string;
  save: DraftSave;
  /** Fields of the API that say themselves why they were refused. */
  fields?: readonly string[];
}

/** Why the last try to save a draft did nothing, and what to do when somebody else saved first. */
export function SaveProblem({ objectId, save, fields = [] }: Readonly<SaveProblemProps>) {
  if (save.isConflict) {
    return <ConflictNote objectId={objectId} onKeepTheirs={save.keepTheirs} onApplyMine={save.applyMine} />;
  }
  if (!save.error || (save.field !== null && fields.includes(save.field))) return null;
  return (
    <p role="alert" className="text-small text-urgent">
      Not saved. {errorMessage(save.error)}
    </p>
  );
}

"use client";

import { errorMessage } from "../../lib/api";
import { Button } from "./button";

interface FailureProps {
  /** What could not be done, as the start of a sentence. */
  what: string;
  error: unknown;
  onRetry?: () => void;
}

/** What failed, why, and another try. */
export function Failure({ what, error, onRetry }: Readonly<FailureProps>) {
  return (
    <div role="alert" className="flex flex-wrap items-center gap-3 px-4 py-3 text-small">
      <p className="min-w-0 flex-1 basis-60">
        {what}. <span className="text-text-2">{errorMessage(error)}</span>
      </p>
      {onRetry ? (
        <Button size="small" onClick={onRetry}>
          Retry
        </Button>
      ) : null}
    </div>
  );
}

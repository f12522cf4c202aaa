"use client";

import { PreviewCard } from "../../components/preview/preview-card";
import { errorMessage } from "../../lib/api";
import { formatExact } from "../../lib/format";
import type { TenantPreviewRows } from "./use-tenant-preview";

interface TenantPreviewProps {
  preview: TenantPreviewRows;
  tenantId: string;
  isDirty: boolean;
  isStale: boolean;
  isIdle: boolean;
}

/** The draft's effect: the open pool in full, the others in a line each. */
export function TenantPreview({ preview, tenantId, isDirty, isStale, isIdle }: Readonly<TenantPreviewProps>) {
  const [here, ...others] = preview.rows;
  if (isStale) {
    return <p className="text-small text-text-2">The preview needs live data. You can still save.</p>;
  }
  if (here === undefined) return null;
  return (
    <div className="space-y-3" aria-live="off">
      <h3 className="text-micro text-text-2">Preview</h3>
      {isDirty ? (
        <PreviewCard
          row={here}
          subject={tenantId}
          level="tenant"
          footer={isIdle ? <p>Nothing moves until it is active here.</p> : null}
        />
      ) : (
        <p className="text-small text-text-2">Change the weight or the cap to see who gains and who gives up slots.</p>
      )}
      {isDirty && others.length > 0 ? <OtherPools rows={others} tenantId={tenantId} /> : null}
      {isDirty && preview.error ? (
        <p className="text-small text-text-2">Other pools cannot be previewed. {errorMessage(preview.error)}</p>
      ) : null}
    </div>
  );
}

function OtherPools({ rows, tenantId }: Readonly<{ rows: TenantPreviewRows["rows"]; tenantId: string }>) {
  return (
    <section aria-label="Other pools" className="rounded-control border">
      <h4 className="border-b px-3 py-2 text-micro text-text-2">Other pools where it has work</h4>
      <ul>
        {rows.map((row) => {
          const part = row.tenants.find((one) => one.id === tenantId);
          return (
            <li key={row.pool} data-preview={row.pool} className="flex min-h-8 items-center gap-3 px-3 text-small">
              <span className="name min-w-0 flex-1 truncate">{row.pool}</span>
              <span className="num text-text-2">
                share {formatExact(part?.before)} to {formatExact(part?.after)}
              </span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

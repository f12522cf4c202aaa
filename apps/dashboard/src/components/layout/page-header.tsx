import type { ReactNode } from "react";

interface PageHeaderProps {
  title: ReactNode;
  /** One sentence that answers the page's question. */
  answer?: ReactNode;
  actions?: ReactNode;
  above?: ReactNode;
}

export function PageHeader({ title, answer, actions, above }: Readonly<PageHeaderProps>) {
  return (
    <div className="mb-4 flex flex-wrap items-start gap-x-4 gap-y-2">
      <div className="min-w-0 flex-1 basis-72">
        {above}
        <h1 className="name text-h1">{title}</h1>
        {answer === undefined ? null : (
          <p className="num mt-0.5 min-h-5 text-body text-text-2" data-testid="answer">
            {answer}
          </p>
        )}
      </div>
      {actions ? <div className="flex flex-wrap items-center gap-2">{actions}</div> : null}
    </div>
  );
}

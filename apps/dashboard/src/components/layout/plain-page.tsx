import type { ReactNode } from "react";
import { Mark } from "./mark";

interface PlainPageProps {
  title: string;
  children: ReactNode;
  /** Links and buttons that lead on. */
  actions: ReactNode;
}

/** One message on a page of its own, for when neither the frame nor data can be shown. */
export function PlainPage({ title, children, actions }: Readonly<PlainPageProps>) {
  return (
    <main className="grid min-h-dvh place-items-center bg-subtle px-4 py-10">
      <section className="w-full max-w-[400px] rounded-panel border bg-card p-6 sm:p-8" aria-labelledby="plain-title">
        <Mark className="size-8" />
        <h1 id="plain-title" className="mt-4 text-h1">
          {title}
        </h1>
        <div className="mt-1 text-small text-text-2">{children}</div>
        <div className="mt-5 flex flex-wrap gap-2">{actions}</div>
      </section>
    </main>
  );
}

import type { ReactNode } from "react";
import { AppShell } from "../../features/shell/app-shell";
import { Providers } from "../../features/shell/providers";
import { requireSession } from "../../server/session";

export const dynamic = "force-dynamic";

export default async function ConsoleLayout({ children }: Readonly<{ children: ReactNode }>) {
  const { email, role } = await requireSession();
  return (
    <Providers email={email} role={role}>
      <AppShell>{children}</AppShell>
    </Providers>
  );
}

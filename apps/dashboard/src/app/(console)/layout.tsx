import { headers } from "next/headers";
import type { ReactNode } from "react";
import { AppShell } from "../../features/shell/app-shell";
import { Providers } from "../../features/shell/providers";
import { firstAnswers } from "../../server/first-answers";
import { REQUESTED_PATH_HEADER, requireSession } from "../../server/session";

export const dynamic = "force-dynamic";

export default async function ConsoleLayout({ children }: Readonly<{ children: ReactNode }>) {
  const { email, role, token } = await requireSession();
  const first = await firstAnswers(token, (await headers()).get(REQUESTED_PATH_HEADER));
  return (
    <Providers email={email} role={role} first={first}>
      <AppShell>{children}</AppShell>
    </Providers>
  );
}

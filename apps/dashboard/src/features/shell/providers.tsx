"use client";

import { QueryClientProvider } from "@tanstack/react-query";
import { NuqsAdapter } from "nuqs/adapters/next/app";
import { type ReactNode, useState } from "react";
import { AnnouncerProvider } from "../../components/layout/announcer";
import { makeQueryClient } from "../../lib/query-client";
import { SessionProvider } from "../../lib/session";
import { SignedOutDialog } from "./signed-out-dialog";
import { ConsoleToaster } from "./toaster";

interface ProvidersProps {
  email: string;
  role: "admin" | "viewer";
  children: ReactNode;
}

/** What every signed-in page shares: data, address, who is signed in, announcements, toasts. */
export function Providers({ email, role, children }: Readonly<ProvidersProps>) {
  const [isSignedOut, setIsSignedOut] = useState(false);
  const [client] = useState(() => makeQueryClient(() => setIsSignedOut(true)));
  return (
    <QueryClientProvider client={client}>
      <NuqsAdapter>
        <SessionProvider email={email} role={role}>
          <AnnouncerProvider>
            {children}
            <SignedOutDialog isOpen={isSignedOut} />
            <ConsoleToaster />
          </AnnouncerProvider>
        </SessionProvider>
      </NuqsAdapter>
    </QueryClientProvider>
  );
}

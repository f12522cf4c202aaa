"use client";

import { focusManager, QueryClientProvider } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { NuqsAdapter } from "nuqs/adapters/next/app";
import { type ReactNode, useState } from "react";
import { AnnouncerProvider } from "../../components/layout/announcer";
import { useToasterWanted } from "../../lib/notify";
import { makeQueryClient } from "../../lib/query-client";
import { SessionProvider } from "../../lib/session";
import { type FirstAnswers, takeFirstAnswers } from "../../queries/first-answers";

const SignedOutDialog = dynamic(() => import("./signed-out-dialog").then((module) => module.SignedOutDialog), {
  ssr: false,
});
const ConsoleToaster = dynamic(() => import("./toaster").then((module) => module.ConsoleToaster), { ssr: false });

interface ProvidersProps {
  email: string;
  role: "admin" | "viewer";
  first: FirstAnswers;
  children: ReactNode;
}

/** What every signed-in page shares: data, address, who is signed in, announcements, toasts. */
export function Providers({ email, role, first, children }: Readonly<ProvidersProps>) {
  const isToasterWanted = useToasterWanted();
  const [isSignedOut, setIsSignedOut] = useState(false);
  const [client] = useState(() => {
    const made = makeQueryClient(() => {
      // Nothing that reads again by itself is answered before the next sign-in.
      focusManager.setFocused(false);
      setIsSignedOut(true);
    });
    takeFirstAnswers(made, first);
    return made;
  });
  return (
    <QueryClientProvider client={client}>
      <NuqsAdapter>
        <SessionProvider email={email} role={role}>
          <AnnouncerProvider>
            {children}
            {isSignedOut ? <SignedOutDialog isOpen /> : null}
            {isToasterWanted ? <ConsoleToaster /> : null}
          </AnnouncerProvider>
        </SessionProvider>
      </NuqsAdapter>
    </QueryClientProvider>
  );
}

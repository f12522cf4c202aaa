"use client";

import { createContext, type ReactNode, useContext, useMemo } from "react";

export interface Session {
  readonly email: string;
  readonly role: "admin" | "viewer";
  readonly isAdmin: boolean;
}

const SessionContext = createContext<Session>({ email: "", role: "viewer", isAdmin: false });

interface SessionProviderProps {
  email: string;
  role: "admin" | "viewer";
  children: ReactNode;
}

export function SessionProvider({ email, role, children }: Readonly<SessionProviderProps>) {
  const session = useMemo(() => ({ email, role, isAdmin: role === "admin" }), [email, role]);
  return <SessionContext.Provider value={session}>{children}</SessionContext.Provider>;
}

/** Who is signed in. The gateway decides what they may do; this only greys out what it would refuse. */
export function useSession(): Session {
  return useContext(SessionContext);
}

export const NEEDS_ADMIN = "Needs the admin role";

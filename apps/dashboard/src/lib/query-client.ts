import { QueryCache, QueryClient } from "@tanstack/react-query";
import { ApiError } from "./api";

/** One client per page load. Told about ended sessions, so that one prompt appears however many polls were refused. */
export function makeQueryClient(onSignedOut: () => void): QueryClient {
  const watch = (error: unknown) => {
    if (error instanceof ApiError && error.status === 401) onSignedOut();
  };
  return new QueryClient({
    queryCache: new QueryCache({ onError: watch }),
    defaultOptions: {
      queries: {
        staleTime: 5000,
        retry: (failures, error) =>
          failures < 2 && !(error instanceof ApiError && error.status >= 400 && error.status < 500),
        refetchOnWindowFocus: true,
      },
      mutations: { onError: watch, retry: false },
    },
  });
}

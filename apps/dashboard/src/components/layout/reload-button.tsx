"use client";

import { Button } from "../ui/button";

/** Loads the page anew, scripts and all; drawing it again would ask for the same parts that are gone. */
export function ReloadButton() {
  return (
    <Button variant="primary" onClick={() => window.location.reload()}>
      Reload
    </Button>
  );
}

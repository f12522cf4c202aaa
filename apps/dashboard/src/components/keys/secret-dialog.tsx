"use client";

import { useQuery } from "@tanstack/react-query";
import { Check, Copy } from "lucide-react";
import { useState } from "react";
import { proxyAddress } from "../../lib/proxy-address";
import { clusterSettingsQuery } from "../../queries/settings";
import { Button } from "../ui/button";
import { AlertDialog } from "../ui/dialog";

interface SecretDialogProps {
  keyName: string;
  secret: string;
  onStored: () => void;
}

/** The one time a secret is shown. It lives in this component's memory and nowhere else. */
export function SecretDialog({ keyName, secret, onStored }: Readonly<SecretDialogProps>) {
  const { data } = useQuery(clusterSettingsQuery());
  const curl = `curl ${proxyAddress(location.hostname, data?.settings ?? [])}/v1/models -H "authorization: Bearer $OBLETH_API_KEY"`;
  return (
    <AlertDialog isOpen title={`The secret of ${keyName}`} confirmLabel="I have stored it" onConfirm={onStored}>
      <p>Copy it now. It is shown this once; afterwards only its first characters are.</p>
      <textarea
        readOnly
        rows={2}
        aria-label="Secret"
        value={secret}
        onFocus={(event) => event.target.select()}
        className="block w-full resize-none break-all rounded-control border border-edge bg-subtle px-3 py-2 font-mono text-small text-text"
      />
      <div className="flex flex-wrap gap-2">
        <CopyButton label="Copy" text={secret} />
        <CopyButton label="Copy as env line" text={`OBLETH_API_KEY=${secret}`} />
        <CopyButton label="Copy a curl" text={curl} />
      </div>
      <pre className="whitespace-pre-wrap break-all rounded-control bg-subtle px-3 py-2 font-mono text-micro">
        {curl}
      </pre>
    </AlertDialog>
  );
}

function CopyButton({ label, text }: Readonly<{ label: string; text: string }>) {
  const [isCopied, setIsCopied] = useState(false);
  const copy = () => {
    void navigator.clipboard?.writeText(text).then(() => setIsCopied(true));
  };
  return (
    <Button onClick={copy}>
      {isCopied ? <Check className="size-3.5" aria-hidden="true" /> : <Copy className="size-3.5" aria-hidden="true" />}
      {isCopied ? "Copied" : label}
    </Button>
  );
}

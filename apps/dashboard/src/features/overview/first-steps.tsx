import Link from "next/link";
import { Glyph } from "../../components/ui/glyph";
import { Panel } from "../../components/ui/panel";
import type { Overview } from "../../queries/wire";

const API = 'curl -H "authorization: Bearer $OBLETH_ADMIN_TOKEN" -H "content-type: application/json" $OBLETH/api/v1';

/** An installation without models, tenants or keys: three steps, each with its command. */
export function FirstSteps({ setup }: Readonly<{ setup: Overview["setup"] }>) {
  const steps = [
    {
      isDone: setup.has_models,
      title: "Add a model",
      href: "/models?new=true",
      command: `${API}/models -d '{"name": "llama-70b", "api_base": "http://llm:8000/v1"}'`,
    },
    {
      isDone: setup.has_tenants,
      title: "Add a tenant",
      href: "/tenants?new=true",
      command: `${API}/tenants -d '{"name": "chatbot"}'`,
    },
    {
      isDone: setup.has_keys,
      title: "Make a key",
      href: "/keys",
      command: `${API}/tenants/$TENANT/keys -d '{"name": "main"}'`,
    },
  ];
  return (
    <Panel title="Three steps to the first request" bodyClassName="p-0">
      <p className="border-b px-4 py-2 text-small text-text-2">
        In the commands, OBLETH is the address of a gateway's management listener and OBLETH_ADMIN_TOKEN its admin
        token.
      </p>
      <ol className="divide-y">
        {steps.map((step, index) => (
          <li key={step.title} className="space-y-2 px-4 py-3">
            <p className="flex items-center gap-2 text-small">
              <Glyph shape={step.isDone ? "square" : "hollow_square"} tone="neutral" />
              <Link className="link font-medium" href={step.href}>
                {index + 1}. {step.title}
              </Link>
              {step.isDone ? <span className="text-text-3">done</span> : null}
            </p>
            <pre className="overflow-x-auto rounded-control bg-subtle px-3 py-2 font-mono text-micro">
              {step.command}
            </pre>
          </li>
        ))}
      </ol>
    </Panel>
  );
}

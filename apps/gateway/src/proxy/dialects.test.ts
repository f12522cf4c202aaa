/** Which API's form an error has: that of the path, however it is written, and of the client where both have the path. */
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { expect, it } from "vitest";
import { RawClient } from "./testing/raw-client";
import { SECRET, until } from "./testing/rig";
import { completion, json } from "./testing/scripts";
import { gateway } from "./testing/set-up";

const ok = json(completion("ok"));
const VERSION = "anthropic-version: 2023-06-01\r\n";

const cases: [path: string, header: string, dialect: "anthropic" | "openai"][] = [
  ["POST /v1/messages", "", "anthropic"],
  ["POST /v1//messages", "", "anthropic"],
  ["POST //v1/messages/", "", "anthropic"],
  ["POST /v1/messages/count_tokens?beta=true", "", "anthropic"],
  ["POST http://gateway/v1//messages", "", "anthropic"],
  ["POST /v1/messages/batches", "", "anthropic"],
  ["POST /v1/messages/..", "", "anthropic"],
  ["PUT /v1//messages", "", "anthropic"],
  ["GET /v1/models", VERSION, "anthropic"],
  ["GET /v1/models/none", VERSION, "anthropic"],
  ["POST /v1/files", VERSION, "anthropic"],
  ["GET /v1/models", "", "openai"],
  ["POST /v1/chat/completions?next=/v1/messages", "", "openai"],
  ["POST /v1/chat/completions", VERSION, "openai"],
  ["POST /v1/files?next=/v1/messages", "", "openai"],
];

it.each(cases)("an error of %s (%j) is in the form of the %s API", async (line, header, dialect) => {
  const { rig } = await gateway(ok);
  const bytes = `${line} HTTP/1.1\r\nhost: g\r\n${header}connection: close\r\ncontent-length: 2\r\n\r\n{}`;
  const client = await RawClient.send(rig.port, bytes);
  await until(() => client.isClosed);
  expect(client.statuses).toHaveLength(1);
  const body: unknown = JSON.parse(client.text.slice(client.text.indexOf("\r\n\r\n") + 4));
  const openai = { error: { type: "obleth_gateway_error", param: null } };
  expect(body).toMatchObject(dialect === "openai" ? openai : { type: "error", error: {}, request_id: {} });
  for (const record of rig.records) expect(record.protocol).toBe(dialect);
});

it("both official clients know their list of models, and their errors about it", async () => {
  const { rig } = await gateway(ok);
  for (const apiKey of [SECRET, "sk_wrong"]) {
    const anthropic = new Anthropic({ baseURL: rig.url, apiKey, maxRetries: 0 });
    const openai = new OpenAI({ baseURL: `${rig.url}/v1`, apiKey, maxRetries: 0 });
    if (apiKey === SECRET) {
      expect((await anthropic.models.list()).data.map(({ id }) => id)).toEqual(["m"]);
      expect((await openai.models.list()).data.map(({ id }) => id)).toEqual(["m"]);
      const refused = anthropic.models.retrieve("none");
      await expect(refused).rejects.toMatchObject({ error: { error: { type: "not_found_error" } } });
    } else {
      const refused = anthropic.models.list();
      await expect(refused).rejects.toMatchObject({ error: { error: { type: "authentication_error" } } });
      await expect(openai.models.list()).rejects.toMatchObject({ status: 401, code: "invalid_api_key" });
    }
  }
});

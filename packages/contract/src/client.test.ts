import { describe, expect, it } from "vitest";
import { ApiError, createClient } from "./client";

interface Seen {
  url: string;
  init: RequestInit;
}

function answering(response: () => Response): { fetch: typeof fetch; seen: Seen[] } {
  const seen: Seen[] = [];
  const fake: typeof fetch = async (input, init) => {
    seen.push({ url: String(input), init: init ?? {} });
    return response();
  };
  return { fetch: fake, seen };
}

describe("the typed client", () => {
  it("encodes each path parameter once, so a slash in a name stays one segment", async () => {
    const { fetch, seen } = answering(() => Response.json({}));
    await createClient({ baseUrl: "http://h/", fetch }).call("getModel", { params: { id: "org/model 7b" } });
    expect(seen[0]?.url).toBe("http://h/api/v1/models/org%2Fmodel%207b");
  });

  it("sends the token, If-Match and a JSON body, and leaves undefined query values out", async () => {
    const { fetch, seen } = answering(() => Response.json({}));
    const api = createClient({ baseUrl: "", fetch, token: () => "secret" });
    const id = "11111111-1111-4111-8111-111111111111";
    await api.call("setTenantWeight", { params: { id }, body: { weight: 5 } }, { ifMatch: '"3"' });
    expect(seen[0]?.url).toBe(`/api/v1/tenants/${id}/weight`);
    expect(seen[0]?.init).toMatchObject({ method: "PATCH", body: '{"weight":5}' });
    expect(seen[0]?.init.headers).toMatchObject({ authorization: "Bearer secret", "if-match": '"3"' });
  });

  it("sends no body with a number that is none: JSON would make it null, which clears a limit", async () => {
    const { fetch, seen } = answering(() => Response.json({}));
    const api = createClient({ baseUrl: "", fetch });
    for (const max_in_flight of [Number.NaN, Number.POSITIVE_INFINITY]) {
      const call = api.call("setModelCapacity", { params: { id: "llama" }, body: { max_in_flight } });
      await expect(call).rejects.toMatchObject({ details: { field: "max_in_flight" } });
    }
    expect(seen).toEqual([]);
  });

  it("tells a 304 from an answer", async () => {
    const { fetch } = answering(() => new Response(null, { status: 304, headers: { etag: '"a"' } }));
    const api = createClient({ baseUrl: "", fetch });
    const answer = await api.poll("getFairshareLive", {}, { ifNoneMatch: '"a"' });
    expect(answer).toMatchObject({ notModified: true, etag: '"a"' });
  });

  it("reads the audit id and configuration version of a change", async () => {
    const headers = {
      "x-obleth-audit-id": "7",
      "x-obleth-config-version": "12",
      date: "Mon, 30 Nov 2026 00:00:00 GMT",
    };
    const { fetch } = answering(() => new Response(null, { status: 204, headers }));
    const answer = await createClient({ baseUrl: "", fetch }).call("deleteGroup", { params: { name: "a" } });
    expect(answer).toMatchObject({
      data: undefined,
      auditId: 7,
      configVersion: 12,
      serverTimeMs: Date.UTC(2026, 10, 30),
    });
  });

  it("throws what the server refused with, field and code included", async () => {
    const body = {
      error: { message: "no", type: "obleth_management_error", code: "invalid_request", field: "weight" },
    };
    const { fetch } = answering(() => Response.json(body, { status: 400, headers: { "retry-after": "5" } }));
    const call = createClient({ baseUrl: "", fetch }).call("createGroup", { body: { name: "a", weight: 0 } });
    const error = await call.catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(ApiError);
    expect((error as ApiError).details).toMatchObject({
      status: 400,
      code: "invalid_request",
      field: "weight",
      retryAfterSecs: 5,
    });
  });

  it("says unreachable when nothing answers, and unexpected when the answer is not the API's", async () => {
    const down = createClient({ baseUrl: "", fetch: () => Promise.reject(new TypeError("failed")) });
    await expect(down.call("getVersion", {})).rejects.toMatchObject({ code: "unreachable", status: 0 });
    const { fetch } = answering(() => new Response("<html>", { status: 502 }));
    await expect(createClient({ baseUrl: "", fetch }).call("getVersion", {})).rejects.toMatchObject({
      code: "unexpected",
      status: 502,
    });
  });
});

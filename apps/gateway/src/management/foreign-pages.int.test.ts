/** What a page of another site can make a browser send to the management API: cookies, forms, and questions. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ADMIN_TOKEN, startTestGateway, type TestGateway } from "./testing/test-gateway";

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.close());

const GROUPS = "/api/v1/fairshare/groups";
const COOKIES = ["session", "obleth_session", "__Host-obleth", "token", "authorization"];

async function sessionToken(): Promise<string> {
  const { api } = gateway;
  const { data } = await api.call("createUser", {
    body: { email: "a@b.example", password: "long enough password", role: "admin" },
  });
  expect(data.email).toBe("a@b.example");
  const login = { body: { email: "a@b.example", password: "long enough password" } };
  return (await gateway.as(undefined).call("login", login)).data.token;
}

describe("the management API", () => {
  it("takes no cookie for a credential, so that nothing a browser adds by itself says who calls", async () => {
    for (const token of [ADMIN_TOKEN, await sessionToken()]) {
      const cookie = COOKIES.map((name) => `${name}=${token}`).join("; ");
      const read = await gateway.request(GROUPS, { headers: { authorization: "", cookie } });
      expect(read.status).toBe(401);
      const headers = { authorization: "", cookie, "content-type": "application/json" };
      const write = await gateway.request(GROUPS, { method: "POST", headers, body: '{"name":"foreign"}' });
      expect(write.status).toBe(401);
    }
  });

  it("lets no foreign page read an answer, asked beforehand or not", async () => {
    for (const origin of ["https://evil.example", "http://localhost:3000", "null"]) {
      const asked = await gateway.request(GROUPS, {
        method: "OPTIONS",
        headers: {
          authorization: "",
          origin,
          "access-control-request-method": "POST",
          "access-control-request-headers": "authorization,content-type",
        },
      });
      const read = await gateway.request(GROUPS, { headers: { origin } });
      const refused = await gateway.request(GROUPS, { headers: { origin, authorization: "" } });
      for (const { headers } of [asked, read, refused]) {
        expect([...headers.keys()].filter((name) => name.startsWith("access-control-"))).toEqual([]);
      }
      expect(asked.ok).toBe(false);
    }
  });

  it("has no way to sign in or out by a form or by an address alone", async () => {
    const form = { "content-type": "application/x-www-form-urlencoded", authorization: "" };
    for (const route of ["login", "logout"]) {
      const path = `/api/v1/auth/${route}`;
      expect((await gateway.request(path)).status).toBe(405);
      const posted = await gateway.request(path, { method: "POST", headers: form, body: "email=a&password=b" });
      expect([401, 415]).toContain(posted.status);
    }
  });
});

/** Chromium as the suite uses it: one browser, a context per measurement, the processor and the network slowed on request. */
import { type Browser, type BrowserContext, type CDPSession, chromium, type Page } from "@playwright/test";

export type Cookies = Awaited<ReturnType<BrowserContext["storageState"]>>;

export function launch(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? "/usr/bin/chromium",
    args: [
      ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}

/** Signs in through the form. @returns what a context needs to be signed in. */
export async function signedIn(
  browser: Browser,
  url: string,
  login: { email: string; password: string },
): Promise<Cookies> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${url}/login`);
  await page.getByLabel("Email").fill(login.email);
  await page.getByLabel("Password").fill(login.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("navigation", { name: "Main" }).waitFor();
  const state = await context.storageState();
  await context.close();
  return state;
}

export interface Opened {
  readonly page: Page;
  readonly devtools: CDPSession;
  readonly close: () => Promise<void>;
}

/** A page of a fresh context: nothing cached, signed in when cookies are given. */
export async function openPage(browser: Browser, cookies: Cookies | undefined): Promise<Opened> {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    ...(cookies === undefined ? {} : { storageState: cookies }),
  });
  // What is evaluated in the page went through a compiler that names functions by this helper.
  await context.addInitScript({ content: "globalThis.__name = (value) => value" });
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await devtools.send("Network.enable");
  return { page, devtools, close: () => context.close() };
}

/** A processor so many times slower, and a network that answers so much later. */
export async function slowDown({ devtools }: Opened, by: { cpu: number; latencyMs: number }): Promise<void> {
  await devtools.send("Emulation.setCPUThrottlingRate", { rate: by.cpu });
  await devtools.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: by.latencyMs,
    downloadThroughput: -1,
    uploadThroughput: -1,
  });
}

/** Bytes of the JavaScript heap in use after a collection. */
export async function heapBytes({ devtools }: Opened): Promise<number> {
  await devtools.send("HeapProfiler.collectGarbage");
  const { usedSize } = await devtools.send("Runtime.getHeapUsage");
  return usedSize;
}

export interface Transfer {
  readonly url: string;
  readonly type: string;
  readonly status: number;
  /** On the wire, heads included; of a body that nobody reads, as a 304's, no end is reported. */
  bytes: number;
}

/** Every answer the page receives from now on. */
export function transfers({ devtools }: Opened): Transfer[] {
  const seen: Transfer[] = [];
  const open = new Map<string, Transfer>();
  devtools.on("Network.responseReceived", ({ requestId, response, type }) => {
    const { url, status, encodedDataLength: bytes } = response;
    const one = { url, type, status, bytes };
    seen.push(one);
    open.set(requestId, one);
  });
  devtools.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    const one = open.get(requestId);
    if (one !== undefined) one.bytes = encodedDataLength;
  });
  return seen;
}

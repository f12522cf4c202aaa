import { afterEach, describe, expect, it, vi } from "vitest";

afterEach(() => {
  vi.useRealTimers();
  vi.resetModules();
});

/** A page opened with the browser's clock `wrongByMs` behind the server's, read each `everyMs` with 20 ms each way. */
async function openPage(wrongByMs: number) {
  vi.useFakeTimers({ toFake: ["Date", "performance"], now: 1_796_000_000_000 });
  const clock = await import("./server-clock");
  const server = () => Math.round(clock.steadyNowMs() + wrongByMs);
  const read = () => {
    const sentMs = clock.steadyNowMs();
    vi.advanceTimersByTime(20);
    const dateMs = Math.floor(server() / 1000) * 1000;
    vi.advanceTimersByTime(20);
    clock.learnServerTime({ sentMs, receivedMs: clock.steadyNowMs(), dateMs });
  };
  return { ...clock, server, read };
}

describe("server time in the browser", () => {
  it.each([0, 172_800_000, -7_200_000])(
    "is right within a second after one answer, the clock wrong by %d ms",
    async (wrongByMs) => {
      const page = await openPage(wrongByMs);
      page.read();
      expect(Math.abs(page.serverNowMs() - page.server())).toBeLessThan(1000);
    },
  );

  it("does not move when the browser's clock is set", async () => {
    const page = await openPage(0);
    page.read();
    const before = page.serverNowMs();
    const setting = page.clockSetting();
    vi.setSystemTime(Date.now() + 3_600_000);
    expect(page.serverNowMs()).toBe(before);
    expect(page.clockSetting()).not.toBe(setting);
  });

  it("runs on evenly while answers narrow its bounds, but for a correction of under a second", async () => {
    const page = await openPage(90_000);
    page.read();
    let correctedMs = 0;
    for (let answer = 0; answer < 40; answer++) {
      vi.advanceTimersByTime(973);
      const before = page.serverNowMs();
      page.read();
      correctedMs += Math.abs(page.serverNowMs() - before - 40);
    }
    expect(correctedMs).toBeLessThan(1000);
    expect(Math.abs(page.serverNowMs() - page.server())).toBeLessThan(500);
  });
});

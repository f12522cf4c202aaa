import { describe, expect, it } from "vitest";
import { type Box, TOAST_FOOT, toastLift } from "./toast-lift";

const WINDOW = 720;
const toasts: Box = { left: 16, right: 372, top: 640, bottom: 704 };
const at = (left: number, top: number, width = 100, height = 32): Box => ({
  left,
  top,
  right: left + width,
  bottom: top + height,
});
const lift = (focused: Box | null, standing = toasts) => toastLift({ focused, toasts: standing, windowHeight: WINDOW });

describe("toasts", () => {
  it("stand at their foot when nothing, or something elsewhere, has the focus", () => {
    for (const focused of [null, at(400, 660), at(20, 100), at(20, 590), at(20, 900)]) {
      expect(lift(focused)).toBe(TOAST_FOOT);
    }
  });

  it("stand right above a control at their foot, clear of its focus ring", () => {
    const control = at(20, 660);
    const bottom = WINDOW - lift(control);
    expect(bottom).toBe(652);
    expect(bottom - (toasts.bottom - toasts.top)).toBeGreaterThanOrEqual(0);
  });

  it("stay above it while it keeps the focus, and come down when it is gone", () => {
    const control = at(20, 660);
    const lifted: Box = { ...toasts, top: 588, bottom: 652 };
    expect(lift(control, lifted)).toBe(lift(control));
    expect(lift(null, lifted)).toBe(TOAST_FOOT);
  });

  it("never touch a control that fits into the window beside them, wherever it stands", () => {
    const height = toasts.bottom - toasts.top;
    for (let top = 0; top < WINDOW; top += 7) {
      for (const size of [24, 40, 200, 600]) {
        if (top < height + 8 && top + size > WINDOW - TOAST_FOOT - height - 8) continue;
        const control = at(20, top, 100, size);
        const bottom = WINDOW - lift(control);
        const isClear = bottom <= control.top || bottom - height >= control.bottom;
        expect(isClear, `${size} high at ${top}`).toBe(true);
        expect(bottom - height).toBeGreaterThanOrEqual(0);
      }
    }
  });

  it("stay at their foot for what fills the window, such as the page's content", () => {
    expect(lift(at(0, -300, 1280, 2000))).toBe(TOAST_FOOT);
  });
});

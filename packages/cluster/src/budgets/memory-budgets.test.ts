import { VirtualClock } from "@obleth/clock";
import { describeTokenBudgets } from "../../test/token-budgets.contract";
import { MemoryBudgets } from "./memory-budgets";

describeTokenBudgets("memory", async () => {
  const clock = new VirtualClock();
  return {
    budgets: new MemoryBudgets(clock),
    advance: async (ms) => clock.advance(ms),
    wallMs: () => clock.wallMs(),
    close: async () => undefined,
  };
});

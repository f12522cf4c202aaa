export { MemoryBudgets } from "./budgets/memory-budgets";
export { RedisBudgets } from "./budgets/redis-budgets";
export type { BudgetAnswer, MinuteLimit, Spend, TermLimit, TokenBudgets } from "./budgets/token-budget";

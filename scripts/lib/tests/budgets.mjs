// Test files that may take more processor time than others of their kind (costs.mjs): seconds by day, and why. Numbers fall only.

/** By path: { seconds, reason }. */
export const dayBudgets = {}

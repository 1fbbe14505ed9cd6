// What others may use of the firewall: defaults and inspection fields of its rules, and whether it logs.

export { filterDefaults } from './config.ts'
export { inspectionProblems, profileFields } from './inspection.ts'
export { deciding, isLogging } from './logging.ts'

// What others may use of this area.

export { filterDefaults } from './config.ts'
export { inspectionProblems, profileFields } from './inspection.ts'
export { deciding, isLogging } from './logging.ts'

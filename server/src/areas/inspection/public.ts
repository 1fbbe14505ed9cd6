// What others may use of inspection: what profiles do while the engine does not run.

export { failures } from './config.ts'

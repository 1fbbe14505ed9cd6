// What others may use of the logs: the live tail, which is the same for every view.

export { tailLog } from './jobs-tail.ts'

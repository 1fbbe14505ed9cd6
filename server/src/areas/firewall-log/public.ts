// What others may use of this area.

export { describeRecord } from './records.ts'

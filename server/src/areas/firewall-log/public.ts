// What others may use of the firewall log: a record as one line of text.

export { describeRecord } from './records.ts'

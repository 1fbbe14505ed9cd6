// What others may use of the logs: what the calls of every journal have in common.

export {
  type Asked,
  askedOf,
  bucketsAnswer,
  journalAnswer,
  tailAnswer,
  timelineSums,
  topSums,
  withCondition,
} from './routes-journals.ts'

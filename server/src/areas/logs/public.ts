// What others may use of the logs: what the calls of every journal have in common.

export {
  type Asked,
  askedOf,
  askSums,
  journalAnswer,
  nowOf,
  type PeriodQuery,
  periodOf,
  placeOf,
  tailAnswer,
  timelineBounds,
  withCondition,
} from './routes-journals.ts'

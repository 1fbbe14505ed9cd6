// What others may use of the firewall: its rules and access lists, their defaults, inspection fields and translations, and whether it logs.

export {
  type Channel,
  channelKey,
  channelOf,
  channelSlots,
  channelsOf,
  type NumberedChannel,
  numberedChannels,
} from './channels.ts'
export { accessLists, filterDefaults, ruleSlots } from './config.ts'
export { inspectionProblems, profileFields } from './inspection-fields.ts'
export { limitFindings, totalInForce } from './limits.ts'
export { exceptionList } from './lists.ts'
export { deciding, isLogging } from './logging.ts'
export { translationsOf } from './translations.ts'

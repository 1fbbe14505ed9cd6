// What others may use of DNS: its settings, and the stage of the ruleset that intercepts queries.

export { settings } from './config.ts'
export { dnsStage } from './resolve.ts'

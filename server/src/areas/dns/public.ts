// What others may use of this area.

export { settings } from './config.ts'
export { dnsStage } from './resolve.ts'

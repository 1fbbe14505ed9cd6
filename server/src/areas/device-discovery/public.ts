// What other areas may use of device discovery: its settings.

export { slot as discoverySettings } from './config.ts'

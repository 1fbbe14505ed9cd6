// What others may use of the portal: its settings, when it runs and decides, its address, and what is open because of it.

export { settings } from './config.ts'
export { captivePortalUrl, isCaptive, isServed, openServices } from './resolve.ts'
export type { AuthStart, OpenSessions } from './runs/auth-journal.ts'

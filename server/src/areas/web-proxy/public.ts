// What others may use of the web proxy: its slots, when it runs, the stage of the ruleset, and what is open because of it.

export { antivirus, authority, exclusions, settings } from './config.ts'
export { closedWebPorts, guardedWebPorts, webStage, webStageSlots } from './interception.ts'
export { isRun, isWanted, openServices } from './resolve.ts'

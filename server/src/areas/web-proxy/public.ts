// What others may use of the web proxy: the stage of the ruleset, the ports of the gateway that belong to it, and the slots
// they depend on.

export { closedWebPorts, guardedWebPorts, webStage, webStageSlots } from './interception.ts'

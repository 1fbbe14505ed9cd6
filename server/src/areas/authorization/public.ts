// What other areas may use of authorization: the stored rules and settings, the addresses of users, and the stage of the ruleset.

export { authorizationRules, settings } from './config.ts'
export { ruleList } from './lists.ts'
export { withUserAddresses } from './resolve.ts'
export { authorizationStage } from './stage.ts'

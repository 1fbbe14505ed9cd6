// What other areas may use of authorization: the stored rules and settings.

export { authorizationRules, settings } from './config.ts'
export { ruleList } from './lists.ts'

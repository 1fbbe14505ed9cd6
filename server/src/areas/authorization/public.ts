// What other areas may use of authorization rules: the stored rules.

export { authorizationRules } from './config.ts'

// What others may use of this area.

export { authorizationRules } from './config.ts'

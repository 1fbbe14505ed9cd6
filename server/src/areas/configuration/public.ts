// What other areas may use of the configuration area.

export { limitsOf } from './config.ts'

// What others may use of this area.

export { isProfile, profiles } from './config.ts'

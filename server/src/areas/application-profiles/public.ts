// What others may use of this area.

export { applications, isProfile, profiles } from './config.ts'

// Offers the profiles that firewall rules can name, and the catalogue of applications.

export { type UnrecognisedApplication, unrecognised } from './applications.ts'
export { applications, isProfile, profiles } from './config.ts'

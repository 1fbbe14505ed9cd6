// Offers the profiles that firewall rules can name, whether intrusion prevention is switched on, all
// signatures, and the way to make an exception of one.

export { isProfile, profileRules, profiles, state, template } from './config.ts'
export { addException, exceptionFault } from './exceptions.ts'
export { catalogueOf } from './resolve.ts'

// Offers the profiles that firewall rules can name with their rules, the protected networks, whether intrusion prevention is switched on, all
// signatures, and the way to make an exception of one.

export { isProfile, nets, profileRules, profiles, state, template } from './config.ts'
export { addException, exceptionFault } from './exceptions.ts'
export { allProfiles, catalogueOf, rulesOfProfile } from './resolve.ts'

// Offers the profiles that firewall rules can name with their rules, the protected networks, and whether intrusion prevention is
// switched on.

export { isProfile, nets, profiles, state, template } from './config.ts'
export { allProfiles, catalogueOf, rulesOfProfile } from './resolve.ts'

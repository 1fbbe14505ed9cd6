// Offers the profiles that firewall rules can name, and whether intrusion prevention is switched on.

export { isProfile, profiles, state, template } from './config.ts'

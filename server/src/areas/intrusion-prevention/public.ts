// Offers the profiles that firewall rules can name.

export { isProfile, profiles } from './config.ts'

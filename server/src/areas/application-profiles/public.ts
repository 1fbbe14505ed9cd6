// Offers the profiles that firewall rules can name, and the catalogue of applications.

export { applications, isProfile, profiles } from './config.ts'

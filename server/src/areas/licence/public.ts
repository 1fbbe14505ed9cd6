// Offers the licence slot, and which modules the licence makes available.

export { licence, licenceInfo } from './config.ts'

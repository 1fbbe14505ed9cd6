// Offers the rules of the older application control.

export { rules } from './config.ts'

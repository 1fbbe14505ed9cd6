// What others may use of this area.

export { entries } from './config.ts'
export { openServices } from './resolve.ts'

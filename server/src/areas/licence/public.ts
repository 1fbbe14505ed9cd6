// What others may use of this area.

export { licence, licenceInfo } from './config.ts'

// What other areas may use of the central console.

export { connection } from './config.ts'

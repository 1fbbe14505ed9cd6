// What other areas may use of backups.

export { makeBackup } from './jobs.ts'

// A folder on the checkout's own disk, so that syncs cost what they cost there; gone when the process ends.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'

export function benchFolder(): string {
  const parent = join(import.meta.dirname, '..', '.cache')
  mkdirSync(parent, { recursive: true })
  const folder = mkdtempSync(join(parent, 'bench-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  process.on('SIGTERM', () => process.exit(0))
  return folder
}

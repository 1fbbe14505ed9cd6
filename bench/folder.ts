// Folders on the checkout's own disk, so that syncs cost what they cost there; gone when the process ends.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const made: string[] = []

export function benchFolder(): string {
  const parent = join(import.meta.dirname, '..', '.cache')
  mkdirSync(parent, { recursive: true })
  const folder = mkdtempSync(join(parent, 'bench-'))
  if (made.length === 0) {
    process.on('exit', () => {
      for (const one of made) rmSync(one, { recursive: true, force: true })
    })
    process.on('SIGTERM', () => process.exit(0))
  }
  made.push(folder)
  return folder
}

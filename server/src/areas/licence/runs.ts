// How what the licence offers is made.

import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Run, run } from '../../core/area/run.ts'
import { licenceService } from './service.ts'

export const runs: readonly Run[] = [
  run(licenceService, ({ settings: { stateDir, folder } }) => ({
    offers: { installationId: installationId(folder), key: readIfThere(join(stateDir, 'licence-key.pem')) },
  })),
]

function installationId(folder: string): string {
  const path = join(folder, 'installation-id')
  if (!existsSync(path)) writeFileSync(path, randomUUID(), { mode: 0o600 })
  return readFileSync(path, 'utf8')
}

const readIfThere = (path: string): string | null => (existsSync(path) ? readFileSync(path, 'utf8') : null)

// The verb that installs an uploaded package. gatewayd says only which one, by its digest: the file is taken from the one place
// where gatewayd can put it, without following links, and its signature is checked here once more. The work itself is done by a
// unit of its own, because it replaces this program.

import { closeSync } from 'node:fs'
import type { DataPlane, UpgradeStart } from '../../core/plan/artifacts.ts'
import { run } from '../../engines/kit/processes.ts'
import type { ServiceAccount } from '../../engines/kit/tables.ts'
import { hashFault, hashForm, parseForm, parseKeys } from '../../engines/kit/values.ts'
import { openOwned } from '../../shared/files/guarded.ts'
import { ownApp } from '../../shared/files/plain.ts'
import { RefusedPackage, readTrustedKeys, type TrustedKeys } from '../../shared/files/signed-package.ts'
import { beginUpgrade, startArguments } from '../../upgrade/begin.ts'
import { type Installed, readInstalled, recordedFormat } from '../../upgrade/judge.ts'
import {
  installedApp,
  keyFolders,
  notAPackage,
  type UpgradePlaces,
  upgradePlaces,
  uploadedName,
} from '../../upgrade/places.ts'
import { dropRequest, takePackage, UpgradeRefused } from '../../upgrade/take.ts'

export const parseUpgrade = (value: unknown): { digest: string } => ({
  digest: parseForm(parseKeys(value, ['digest']).digest, hashForm, hashFault),
})

interface UpgraderParts {
  readonly stateDir: string
  readonly plane: DataPlane
  readonly service: ServiceAccount
}

/** What a test replaces. */
interface Surroundings {
  readonly app: string
  readonly keys: () => TrustedKeys
  readonly installed: () => Omit<Installed, 'format'> | null
  readonly start: (places: UpgradePlaces) => Promise<string | null>
}

const production: Surroundings = {
  app: ownApp,
  keys: () => readTrustedKeys(keyFolders),
  installed: () => readInstalled(),
  start: (places) =>
    beginUpgrade(places, async () => {
      const { code, stderr } = await run(['/usr/bin/systemctl', ...startArguments], 20_000)
      return code === 0 ? null : stderr.trim()
    }),
}

const startMessage = (fault: string): string => `The upgrade could not be started: ${fault.slice(0, 300)}`

export function createUpgrader({ stateDir, plane, service }: UpgraderParts, around: Surroundings = production) {
  const places = upgradePlaces(stateDir)
  let isBusy = false

  async function begin(digest: string): Promise<UpgradeStart> {
    const installed = plane === 'host' && around.app === installedApp ? around.installed() : null
    if (installed === null) return { status: 'refused', message: notAPackage }
    const uid = service?.uid ?? process.geteuid?.() ?? 0
    const file = openOwned(places.incoming, [uploadedName], uid)
    if (file === null) return { status: 'refused', message: 'There is no uploaded package.' }
    try {
      const offer = {
        file,
        by: 'gateway',
        keys: around.keys(),
        installed: { ...installed, format: recordedFormat(places.records) },
        digest,
      } as const
      const { from, to } = await takePackage(places, offer)
      const fault = await around.start(places)
      if (fault === null) return { status: 'started', from, to }
      return abandoned(places, fault)
    } catch (fault) {
      if (fault instanceof RefusedPackage || fault instanceof UpgradeRefused)
        return { status: 'refused', message: fault.message }
      throw fault
    } finally {
      closeSync(file)
    }
  }

  /** One at a time. */
  async function start(digest: string): Promise<UpgradeStart> {
    if (isBusy) return { status: 'refused', message: 'Another upgrade is running. Wait until it has ended.' }
    isBusy = true
    try {
      return await begin(digest)
    } finally {
      isBusy = false
    }
  }
  return { start }
}

function abandoned(places: UpgradePlaces, fault: string): UpgradeStart {
  const message = startMessage(fault)
  dropRequest(places, message)
  return { status: 'refused', message }
}

// A program that applyd starts as root for the verb that installs an uploaded package, and that ends with its answer. gatewayd says
// only which package, by its digest: the file is taken from the one place where gatewayd can put it, without following links, and its
// signature is checked here once more. The work itself is done by a unit of its own, because it replaces the program.

import { execFile } from 'node:child_process'
import { closeSync } from 'node:fs'
import { openOwned } from '../shared/files/guarded.ts'
import { ownApp } from '../shared/files/plain.ts'
import { RefusedPackage, readTrustedKeys, type TrustedKeys } from '../shared/files/signed-package.ts'
import { type SaidText, say, sentencesIn } from '../shared/said.ts'
import { beginUpgrade, startArguments } from './begin.ts'
import { type Installed, readInstalled, recordedFormat } from './judge.ts'
import { installedApp, keyFolders, type UpgradePlaces, upgradePlaces, uploadedName } from './places.ts'
import { dropRequest, takePackage, UpgradeRefused } from './take.ts'
import { notAPackage } from './words.ts'

type Answer =
  | { readonly status: 'started'; readonly from: string; readonly to: string }
  | { readonly status: 'refused'; readonly message: SaidText }

/** What a test replaces. */
interface Surroundings {
  readonly app: string
  readonly keys: () => TrustedKeys
  readonly installed: () => Omit<Installed, 'format'> | null
  readonly start: (places: UpgradePlaces) => Promise<string | null>
}

const startUnit = (): Promise<string | null> =>
  new Promise((resolve) => {
    execFile('/usr/bin/systemctl', startArguments, { timeout: 20_000, env: {} }, (fault, _, stderr) =>
      resolve(fault ? stderr.trim() || fault.message : null),
    )
  })

const production: Surroundings = {
  app: ownApp,
  keys: () => readTrustedKeys(keyFolders),
  installed: () => readInstalled(),
  start: (places) => beginUpgrade(places, startUnit),
}

const startMessage = (fault: string): SaidText => say`The upgrade could not be started: ${fault.slice(0, 300)}`

/** `uid` is the account of gatewayd. */
export async function offerUploaded(
  { stateDir, digest, uid }: { readonly stateDir: string; readonly digest: string; readonly uid: number },
  around: Surroundings = production,
): Promise<Answer> {
  const places = upgradePlaces(stateDir)
  const installed = around.app === installedApp ? around.installed() : null
  if (installed === null) return { status: 'refused', message: notAPackage }
  const file = openOwned(places.incoming, [uploadedName], uid)
  if (file === null) return { status: 'refused', message: say`There is no uploaded package.` }
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
    const message = startMessage(fault)
    dropRequest(places, message)
    return { status: 'refused', message }
  } catch (fault) {
    if (fault instanceof RefusedPackage || fault instanceof UpgradeRefused)
      return { status: 'refused', message: fault.message }
    throw fault
  } finally {
    closeSync(file)
  }
}

if (import.meta.main) {
  const [stateDir = '', digest = '', uid = ''] = process.argv.slice(2)
  const answer = await offerUploaded({ stateDir, digest, uid: Number(uid) })
  const sentences = answer.status === 'refused' ? sentencesIn(answer.message) : []
  process.stdout.write(JSON.stringify({ ...answer, sentences }))
}

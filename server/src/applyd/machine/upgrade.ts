// The verb that installs an uploaded package. A program of its own takes and checks the package (upgrade/offer.ts): none of that
// is needed while nothing is upgraded. It is of root too, because nothing that another account can write may be installed.

import { join } from 'node:path'
import type { DataPlane, UpgradeStart } from '../../core/plan/artifacts.ts'
import { run } from '../../engines/kit/processes.ts'
import type { ServiceAccount } from '../../engines/kit/tables.ts'
import { oneLine } from '../../engines/kit/text.ts'
import { hashFault, hashForm, parseForm, parseKeys } from '../../engines/kit/values.ts'
import { ownApp, plainOption } from '../../shared/files/plain.ts'
import { adopt, type Sentence, say } from '../../shared/said.ts'
import { notAPackage } from '../../upgrade/words.ts'

const program = join(import.meta.dirname, '..', '..', 'upgrade', 'offer.ts')
/** It starts the unit of the upgrade for two minutes at most. */
const timeoutMs = 180_000

export const parseUpgrade = (value: unknown): { digest: string } => ({
  digest: parseForm(parseKeys(value, ['digest']).digest, hashForm, hashFault),
})

interface UpgraderParts {
  readonly stateDir: string
  readonly plane: DataPlane
  readonly service: ServiceAccount
}

/** The program says with its refusal what it consists of. */
function answered(stdout: string): UpgradeStart {
  const { sentences, ...answer } = JSON.parse(stdout) as UpgradeStart & { readonly sentences?: readonly Sentence[] }
  if (sentences) adopt(sentences)
  return answer
}

export function createUpgrader({ stateDir, plane, service }: UpgraderParts) {
  let isBusy = false

  async function begin(digest: string): Promise<UpgradeStart> {
    const uid = service?.uid ?? process.geteuid?.() ?? 0
    const command = [process.execPath, plainOption(ownApp), program, stateDir, digest, String(uid)]
    const { code, failure, stdout, stderr } = await run(command, timeoutMs)
    if (code === 0) return answered(stdout)
    throw new Error(`The upgrade could not be begun: ${oneLine(stderr) || failure || `status ${code}`}.`)
  }

  /** One at a time. */
  async function start(digest: string): Promise<UpgradeStart> {
    if (plane !== 'host') return { status: 'refused', message: notAPackage }
    if (isBusy) return { status: 'refused', message: say`Another upgrade is running. Wait until it has ended.` }
    isBusy = true
    try {
      return await begin(digest)
    } finally {
      isBusy = false
    }
  }
  return { start }
}

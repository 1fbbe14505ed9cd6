// gw doctor: what of this machine gets in the way of the gateway, with the commands that repair it. The gateway is asked where
// one runs; root can look without one, also before anything is installed.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Conflict } from '../../../areas/health/contract.ts'
import { showConflicts } from '../../../areas/health/contract.ts'
import { withApi } from '../client/api.ts'
import { findStateDir } from '../client/local-gateway.ts'
import type { Run } from '../command.ts'
import type { Context } from '../context.ts'
import { CommandFailure, exitCodes, refused } from '../failure.ts'
import { showTable } from '../output/table.ts'
import type { Colour } from '../output/terminal.ts'
import { showJson } from '../output/text.ts'

const colours: Readonly<Record<Conflict['severity'], Colour>> = { fault: 'red', warning: 'yellow', note: 'dim' }

export const doctorCommand: Run = async (invocation, context) => {
  const { terminal } = context
  const found = await find(context, invocation.has('local'))
  if (invocation.has('json')) terminal.out(`${showJson(found, 2)}\n`)
  else if (found.length === 0) terminal.out('Nothing on this machine gets in the way of the gateway.\n')
  else {
    const rows = found.flatMap(({ severity, title, detail, fix }) => [
      [{ text: severity, colour: colours[severity] }, `${title}. ${detail}`],
      ['', `Repair: ${fix}`],
    ])
    terminal.out(showTable({ columns: ['severity', 'finding'], rows, wrapLast: true }, terminal))
  }
  return found.some(({ severity }) => severity === 'fault') ? exitCodes.refused : exitCodes.done
}

/** Root asks the machine itself where no administrator is signed in. */
async function find(context: Context, isLocal: boolean): Promise<readonly Conflict[]> {
  const isRoot = process.geteuid?.() === 0
  if (isLocal && !isRoot) throw refused('Only root can look at the machine itself.')
  if (isLocal) return lookHere(context)
  try {
    return await withApi(context, (api) => api.ask(showConflicts))
  } catch (error) {
    const codes: readonly number[] = [exitCodes.notSignedIn, exitCodes.noConnection]
    if (!isRoot || !(error instanceof CommandFailure) || !codes.includes(error.exitCode)) throw error
    return lookHere(context)
  }
}

async function lookHere(context: Context): Promise<readonly Conflict[]> {
  const stateDir = findStateDir(context)
  return (await askApplyd(stateDir)) ?? lookAtMachine(stateDir)
}

/** applyd knows which engines are on; null when it does not run here. */
async function askApplyd(stateDir: string): Promise<readonly Conflict[] | null> {
  const path = join(stateDir, 'run', 'applyd.sock')
  if (!existsSync(path)) return null
  const { ApplydClient } = await import('../../../gatewayd/apply/client.ts')
  const applyd = new ApplydClient(path, { connectMs: 1000 })
  try {
    return await applyd.conflicts()
  } catch {
    return null
  } finally {
    applyd.close()
  }
}

async function lookAtMachine(stateDir: string): Promise<readonly Conflict[]> {
  const [{ lookAt, readForeignTables }, { judge }, { readTexts }, { isHostNetwork, readCards }, { engines }] =
    await Promise.all([
      import('../../../applyd/machine/look.ts'),
      import('../../../gatewayd/machine/conflicts.ts'),
      import('../../../gatewayd/machine/read-texts.ts'),
      import('../../../gatewayd/machine/here.ts'),
      import('../../../engines/index.ts'),
    ])
  const { ownApp } = await import('../../../shared/files/plain.ts')
  const texts = await lookAt({
    plane: isHostNetwork() ? 'host' : 'lab',
    engines,
    devices: readCards(),
    readTables: () => readForeignTables(['/usr/sbin/nft']),
  })
  return judge({ ...readTexts(texts, stateDir, engines, null), app: ownApp, hasGateway: false })
}

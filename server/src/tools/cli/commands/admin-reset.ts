// gw admin reset: a new password for an administrator who is locked out. Works on the stored state itself, with the
// gateway stopped. The state belongs to the service account, so root never opens anything in it: a process that has become
// that account does the work (reset-administrator.ts).

import { spawn } from 'node:child_process'
import { existsSync, lstatSync } from 'node:fs'
import { join } from 'node:path'
import { NewAdministrator } from '../../../areas/administrators/contract.ts'
import { ownApp, plainOption } from '../../../shared/files/plain.ts'
import { LaunchFailure } from '../../launcher/failure.ts'
import { gatewayDir } from '../../launcher/layout.ts'
import { releaseLock, takeLock } from '../../launcher/lock.ts'
import { toolPath } from '../../launcher/tools.ts'
import { findStateDir } from '../client/local-gateway.ts'
import { findHolder } from '../client/state-files.ts'
import type { Run } from '../command.ts'
import { badUsage, codeOf, exitCodes, refused } from '../failure.ts'
import { escapeText } from '../output/text.ts'
import type { Reset, ResetRefusal } from './reset-administrator.ts'

/** Far above what it takes: only a file that does not answer, such as one on a server that is away, takes longer. */
const workMs = 120_000

export const adminResetCommand: Run = async (invocation, context) => {
  const { terminal } = context
  const login = invocation.value('login') ?? 'admin'
  await refuseBadLogin(login)
  const stateDir = findStateDir(context)
  const owner = findOwner(stateDir)
  const done = await withStoppedGateway(stateDir, () => reset(gatewayDir(stateDir), login, owner))
  if ('message' in done) throw refused(done.message, done.lines)
  const { password, isNew, putBack } = done
  if (putBack !== null) terminal.note(`Revision ${putBack}, which was on probation, was reverted.\n`)
  terminal.note(
    `${isNew ? 'Created' : 'Changed'} the administrator ${escapeText(login)}. The new password, shown only once:\n`,
  )
  terminal.out(`${password}\n`)
  return exitCodes.done
}

async function refuseBadLogin(login: string): Promise<void> {
  const { faultsOf } = await import('../../../core/validation/validate.ts')
  const faults = faultsOf(NewAdministrator.properties.login, login)
  if (faults.length > 0) {
    throw badUsage(`"${login}" cannot be a login: ${faults[0]?.message}`)
  }
}

interface Owner {
  readonly uid: number
  readonly gid: number
}

const onlyOwner = (stateDir: string) => refused(`Only root and the owner of ${stateDir} may do this.`)

/** Of the folder that gatewayd keeps its state in; others than root and the owner are refused. */
function findOwner(stateDir: string): Owner {
  const folder = gatewayDir(stateDir)
  try {
    const found = lstatSync(folder)
    const uid = process.geteuid?.()
    if (!found.isDirectory()) throw refused(`${folder} is not a folder.`)
    if (uid !== 0 && found.uid !== uid) throw onlyOwner(stateDir)
    const database = lstatSync(join(folder, 'gateway.db'))
    if (!database.isFile()) throw refused(`${join(folder, 'gateway.db')} is not a plain file.`)
    return found
  } catch (error) {
    if (codeOf(error) === 'EACCES') throw onlyOwner(stateDir)
    if (codeOf(error) !== 'ENOENT') throw error
    throw refused(`There is no gateway in the state folder ${stateDir}.`, ['Set PORTCULLIS_STATE to use another one.'])
  }
}

/** The launcher's lock keeps it from starting during the reset; a gatewayd started by hand is found by its open database. */
async function withStoppedGateway<T>(stateDir: string, work: () => Promise<T>): Promise<T> {
  const hasRunDir = existsSync(join(stateDir, 'run'))
  try {
    if (hasRunDir) takeLock(stateDir)
  } catch (error) {
    if (error instanceof LaunchFailure) throw refused(error.message, ['Stop it first, then run this again.'])
    if (codeOf(error) === 'EACCES') throw onlyOwner(stateDir)
    throw error
  }
  try {
    const holder = findHolder(join(gatewayDir(stateDir), 'gateway.db'))
    if (holder !== null) {
      throw refused(`The gateway is running (process ${holder} has its database open).`, [
        'Stop it first, then run this again.',
      ])
    }
    return await work()
  } finally {
    if (hasRunDir) releaseLock(stateDir)
  }
}

async function reset(folder: string, login: string, owner: Owner): Promise<Reset | ResetRefusal> {
  if (owner.uid !== process.geteuid?.()) return resetAsOwner(folder, login, owner)
  return (await import('./reset-administrator.ts')).resetAdministrator(folder, login)
}

/** From the first moment without what it does not need: reading the program, and becoming the owner. */
const leastRights = [
  '--no-new-privs',
  '--inh-caps=-all',
  '--bounding-set=-all,+setuid,+setgid,+dac_read_search',
] as const

function resetAsOwner(folder: string, login: string, { uid, gid }: Owner): Promise<Reset | ResetRefusal> {
  if (gid === 0) throw refused(`${folder} belongs to the group of root. Start the gateway once, which corrects that.`)
  const program = join(import.meta.dirname, 'reset-as-owner.ts')
  const args = [
    ...leastRights,
    '--',
    process.execPath,
    plainOption(ownApp),
    program,
    folder,
    login,
    String(uid),
    String(gid),
  ]
  const child = spawn(toolPath('setpriv'), args, { stdio: ['ignore', 'pipe', 'inherit'], env: {}, cwd: '/' })
  const timer = setTimeout(() => child.kill('SIGKILL'), workMs)
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => {
      clearTimeout(timer)
      if (code === 0) return resolve(JSON.parse(output) as Reset | ResetRefusal)
      const how = signal === 'SIGKILL' ? 'it did not finish in time' : `it ended with ${signal ?? code}`
      reject(refused(`The reset failed: ${how}.`))
    })
  })
}

// Starts applyd from its environment. Wiring only. SIGTERM ends applyd and leaves the engines running, so that an
// upgrade does not interrupt service; SIGINT ends the engines as well.

import { writeSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { isAbsolute } from 'node:path'
import { findAccount, fixedBlock } from '../core/engine/accounts.ts'
import type { DataPlane } from '../core/plan/artifacts.ts'
import { readKernelIdentity } from '../engines/kit/processes.ts'
import { createLog } from '../engines/kit/text.ts'
import { isStorageFault } from '../shared/files/reserve.ts'
import { giveMemoryBack } from '../shared/memory.ts'
import { findServiceManager } from '../shared/service-manager.ts'
import { Applyd } from './applyd.ts'
import { defaultTimings } from './context.ts'
import { readPasswd } from './engine-tables.ts'
import { productionTables } from './production.ts'

/** A log that the disk does not take must not end the process that writes it. */
const log = createLog((line) => {
  try {
    writeSync(2, line)
  } catch (fault) {
    if (!isStorageFault(fault)) throw fault
  }
})

/** Made by systemd-sysusers; its number differs between machines. */
function accountNamed(name: string) {
  const account = name === 'portcullis' ? findAccount(readPasswd(), name, 0) : null
  if (!account || account.uid === 0) throw new Error(`There is no account named ${name}.`)
  return account
}

function readEnvironment(env: NodeJS.ProcessEnv) {
  const { PORTCULLIS_STATE: stateDir = '', PORTCULLIS_DATAPLANE: plane = '' } = env
  const {
    PORTCULLIS_SERVICE_UID: uid = '',
    PORTCULLIS_SERVICE_GID: gid = uid,
    PORTCULLIS_ACCOUNT_BLOCK: block = '',
  } = env
  const { PORTCULLIS_SERVICE_USER: name = '', PORTCULLIS_NFT: way = '' } = env
  if (!isAbsolute(stateDir)) throw new Error('PORTCULLIS_STATE must be an absolute path.')
  if (!['lab', 'host', 'none'].includes(plane)) throw new Error('PORTCULLIS_DATAPLANE must be lab, host or none.')
  if (!/^\d*$/.test(uid) || !/^\d*$/.test(gid)) throw new Error('The user and group of the service must be numbers.')
  const service = name === '' ? (uid === '' ? null : { uid: Number(uid), gid: Number(gid) }) : accountNamed(name)
  if (!/^\d*$/.test(block)) throw new Error('PORTCULLIS_ACCOUNT_BLOCK must be a number.')
  const nftWay = (['library', 'program'] as const).find((one) => one === way)
  if (way !== '' && !nftWay) throw new Error('PORTCULLIS_NFT must be library or program.')
  const accounts = { service, block: block === '' ? fixedBlock : Number(block) }
  return {
    stateDir,
    plane: plane as DataPlane,
    limitation: env.PORTCULLIS_LIMITATION || null,
    way: nftWay,
    ...accounts,
  }
}

function fail(fault: unknown): never {
  log('error', 'applyd cannot continue', { fault })
  process.exit(1)
}

process.on('uncaughtException', fail)
process.on('unhandledRejection', fail)
const manager = findServiceManager(process.env)
const { block, way, ...environment } = readEnvironment(process.env)
const tables = productionTables(environment.stateDir, environment.service, environment.plane, { block, way })
const shared = { tables, timings: defaultTimings, kernel: readKernelIdentity() }
const applyd = await Applyd.start({ ...environment, ...shared, log, failpoint: () => {} })

const stop = (stopUnits: boolean) => {
  manager.stopping()
  applyd.close(stopUnits).then(() => process.exit(0), fail)
}
process.on('SIGTERM', () => stop(false))
process.on('SIGINT', () => stop(true))
log('info', 'applyd is ready', { socket: applyd.socketPath })
manager.ready()
giveMemoryBack()
// A process that is killed keeps nothing; the next start is faster with it.
flushCompileCache()

// The gateway of this very machine, when one was started here: its state folder, and its address and certificate as
// the launcher and gatewayd left them.

import { X509Certificate } from 'node:crypto'
import { existsSync, lstatSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { readOwned } from '../../files/guarded.ts'
import { appRoot, gatewayDir } from '../../launcher/layout.ts'
import { readRecord } from '../../launcher/record.ts'
import type { Context } from '../context.ts'

type Place = Pick<Context, 'env' | 'workingDir'>

/** PORTCULLIS_STATE, else ./state, else where `npm start` of this checkout keeps its state. */
export function findStateDir({ env, workingDir }: Place): string {
  if (env.PORTCULLIS_STATE) return resolve(workingDir, env.PORTCULLIS_STATE)
  const here = join(workingDir, 'state')
  return existsSync(join(here, 'run')) || existsSync(join(here, 'gateway')) ? here : join(appRoot, 'state')
}

/** Null when no gateway runs here, or this account may not read its record. */
export function localAddress(place: Place): string | null {
  try {
    const stateDir = findStateDir(place)
    const record = isTrustworthy(stateDir) ? readRecord(stateDir) : null
    return record === null ? null : new URL(record.address).origin
  } catch {
    return null
  }
}

/** A folder named `state` that another user left in the working folder must not decide where a password is sent. */
const isTrustworthy = (path: string): boolean => [0, process.geteuid?.()].includes(statSync(path).uid)

/** The fingerprint of the certificate of a local gateway, for those who may read its files; that is proof enough. */
export function localFingerprint(place: Place, address: string): string | null {
  if (localAddress(place) !== address) return null
  try {
    const folder = gatewayDir(findStateDir(place))
    // The folder belongs to gatewayd: what it puts there must neither be followed elsewhere nor hold this command up.
    const certificate = readOwned(folder, ['tls', 'server.crt'], lstatSync(folder).uid)
    return certificate === null ? null : new X509Certificate(certificate).fingerprint256
  } catch {
    return null
  }
}

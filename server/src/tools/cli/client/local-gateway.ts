// The gateway of this very machine, when one was started here: its state folder, and its address and certificate as
// the launcher and gatewayd left them.

import { X509Certificate } from 'node:crypto'
import { existsSync, lstatSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { readOwned } from '../../../shared/files/guarded.ts'
import { appRoot, findOutsider, gatewayDir } from '../../launcher/layout.ts'
import { readRecord } from '../../launcher/record.ts'
import type { Context } from '../context.ts'
import { codeOf } from '../failure.ts'
import { keyFingerprint, type ShownCertificate } from './connection.ts'

type Place = Pick<Context, 'env' | 'workingDir'>

/**
 * PORTCULLIS_STATE, else ./state, else where `npm start` of this checkout keeps its state. A folder named `state` that
 * another account left in the working folder does not count.
 */
export function findStateDir({ env, workingDir }: Place): string {
  if (env.PORTCULLIS_STATE) return resolve(workingDir, env.PORTCULLIS_STATE)
  const here = join(workingDir, 'state')
  const isState = existsSync(join(here, 'run')) || existsSync(join(here, 'gateway'))
  return isState && findOutsider(here) === null ? here : join(appRoot, 'state')
}

/** Null when no gateway runs here, or this account may not read its record. */
export function localAddress(place: Place): string | null {
  try {
    const stateDir = findStateDir(place)
    // The writer of the record decides where a password is sent.
    const record = findOutsider(stateDir) === null ? readRecord(stateDir) : null
    return record === null ? null : new URL(record.address).origin
  } catch {
    return null
  }
}

/** Where a gateway serves that has no record of its address, such as one that systemd started. */
export const defaultAddress = 'https://127.0.0.1:8443'

/** True where this account can see that the state folder is not one of a gateway. */
export function hasNoGateway(place: Place): boolean {
  try {
    lstatSync(gatewayDir(findStateDir(place)))
    return false
  } catch (error) {
    return codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR'
  }
}

/**
 * The certificate of the gateway in the state folder, for those who may read its files: who shows it has its key, and is
 * that gateway, whatever the address.
 */
export function certificateInState(place: Place): ShownCertificate | null {
  try {
    const stateDir = findStateDir(place)
    if (findOutsider(stateDir) !== null) return null
    const folder = gatewayDir(stateDir)
    // The folder belongs to gatewayd: what it puts there must neither be followed elsewhere nor hold this command up.
    const chain = readOwned(folder, ['tls', 'server.crt'], lstatSync(folder).uid)
    return chain === null ? null : shownByChain(chain.toString())
  } catch {
    return null
  }
}

function shownByChain(chain: string): ShownCertificate {
  const [own, root] = chain
    .split(/(?<=-----END CERTIFICATE-----)/)
    .filter((text) => text.includes('-----BEGIN'))
    .map((text) => new X509Certificate(text))
  if (own === undefined) throw new Error('no certificate')
  return { fingerprint: own.fingerprint256, rootKey: root === undefined ? null : keyFingerprint(root) }
}

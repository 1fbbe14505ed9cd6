// The gateway of this very machine, when one was started here: its state folder, and its address and certificate as
// the launcher and gatewayd left them.

import { X509Certificate } from 'node:crypto'
import { existsSync, lstatSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { readOwned } from '../../files/guarded.ts'
import { appRoot, findOutsider, gatewayDir } from '../../launcher/layout.ts'
import { readRecord } from '../../launcher/record.ts'
import type { Context } from '../context.ts'

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

/** The fingerprint of the certificate of a local gateway, for those who may read its files; that is proof enough. */
export const localFingerprint = (place: Place, address: string): string | null =>
  (localAddress(place) ?? defaultAddress) === address ? fingerprintInState(place) : null

/** Where a gateway serves that has no record of its address, such as one that systemd started. */
export const defaultAddress = 'https://127.0.0.1:8443'

export function fingerprintInState(place: Place): string | null {
  try {
    const stateDir = findStateDir(place)
    if (findOutsider(stateDir) !== null) return null
    const folder = gatewayDir(stateDir)
    // The folder belongs to gatewayd: what it puts there must neither be followed elsewhere nor hold this command up.
    const certificate = readOwned(folder, ['tls', 'server.crt'], lstatSync(folder).uid)
    return certificate === null ? null : new X509Certificate(certificate).fingerprint256
  } catch {
    return null
  }
}

// The account gatewayd runs as, and how a process sheds everything it does not need. applyd keeps root.

import { readFileSync } from 'node:fs'
import type { Isolation } from './planes.ts'

/**
 * `separate`: another uid than ours. `powerless`: inside a user namespace there is but one uid, so only the
 * capabilities go. `same`: we are an ordinary user and have nothing to shed.
 */
export interface ServiceAccount {
  readonly kind: 'separate' | 'powerless' | 'same'
  readonly uid: number
  readonly gid: number
}

const accountName = 'portcullis'

/** Used where the account does not exist: a number needs no entry in /etc/passwd. */
const fixedId = 61847

/** `nobody` and `nogroup` of every Debian. */
const nobodyId = 65534

export function readServiceAccount(isolation: Isolation): ServiceAccount {
  const uid = process.geteuid?.() ?? 0
  if (uid === 0) return { kind: 'separate', ...findAccount(readFileSync('/etc/passwd', 'utf8')) }
  if (isolation === 'user') return { kind: 'powerless', uid: 0, gid: 0 }
  return { kind: 'same', uid, gid: process.getegid?.() ?? uid }
}

export function findAccount(passwd: string): { readonly uid: number; readonly gid: number } {
  const fields = passwd
    .split('\n')
    .map((line) => line.split(':'))
    .find(([name]) => name === accountName)
  const [uid, gid] = [Number(fields?.[2]), Number(fields?.[3])]
  // An account mapped to root would undo the separation it exists for.
  return uid > 0 && gid > 0 ? { uid, gid } : { uid: fixedId, gid: fixedId }
}

/** The lab's servers must not read gatewayd's files, so they get a separate account where possible. */
export function labAccount(account: ServiceAccount): ServiceAccount {
  return account.kind === 'separate' ? { kind: 'separate', uid: nobodyId, gid: nobodyId } : account
}

/** Options of setpriv(1). An empty bounding set leaves even uid 0 without a capability after the exec. */
export function dropOptions(account: ServiceAccount): readonly string[] {
  const powerless = ['--no-new-privs', '--inh-caps=-all', '--bounding-set=-all']
  switch (account.kind) {
    case 'separate':
      return [`--reuid=${account.uid}`, `--regid=${account.gid}`, '--clear-groups', ...powerless]
    case 'powerless':
      return powerless
    case 'same':
      return ['--no-new-privs']
  }
}

// The account gatewayd runs as, and how a process sheds everything it does not need. applyd keeps root.

import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { findAccount, knownAccounts } from '../../core/engine/accounts.ts'
import { blockOf, takenNumbers } from './account-block.ts'
import type { PlaneChoice } from './planes.ts'

/**
 * `separate`: another uid than ours. `powerless`: inside a user namespace there is but one uid, so only the
 * capabilities go. `same`: we are an ordinary user and have nothing to shed.
 */
export interface ServiceAccount {
  readonly kind: 'separate' | 'powerless' | 'same'
  readonly uid: number
  readonly gid: number
}

/** `block` is the first number of the accounts of this state folder, see core/engine/accounts.ts. */
export interface Accounts {
  readonly block: number
  readonly service: ServiceAccount
}

export function readAccounts(
  { isolation, plane }: Pick<PlaneChoice, 'isolation' | 'plane'>,
  stateDir: string,
  passwd = readPasswd(),
): Accounts {
  const uid = process.geteuid?.() ?? 0
  const hash = createHash('sha256').update(stateDir).digest().readUInt32BE(0)
  const taken = takenNumbers({ passwd, group: readList('group'), lent: `${readList('subuid')}\n${readList('subgid')}` })
  const block = blockOf(hash, readFileSync('/proc/self/uid_map', 'utf8'), taken)
  const account = findAccount(knownAccounts(plane, passwd), 'portcullis', block)
  if (uid === 0) return { block, service: { kind: 'separate', ...account } }
  if (isolation === 'user') return { block, service: { kind: 'powerless', uid: 0, gid: 0 } }
  return { block, service: { kind: 'same', uid, gid: process.getegid?.() ?? uid } }
}

const readPasswd = (): string => readFileSync('/etc/passwd', 'utf8')

/** Empty where the machine has no such list. */
const readList = (name: 'group' | 'subuid' | 'subgid'): string =>
  existsSync(`/etc/${name}`) ? readFileSync(`/etc/${name}`, 'utf8') : ''

/** Servers of the lab must neither read gatewayd's files nor trace each other, so each has its own account where possible. */
export const labAccount = (
  { service, block }: Accounts,
  name: 'portcullis-lab-web' | 'portcullis-lab-dns',
): ServiceAccount => (service.kind === 'separate' ? { kind: 'separate', ...findAccount('', name, block) } : service)

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

/** From the list of accounts: the group of a folder or of a process can be one that the account may not use otherwise. */
export function groupOf(uid: number): number {
  const lines = readPasswd().split('\n')
  const [, , , gid] = lines.map((line) => line.split(':')).find((fields) => fields[2] === String(uid)) ?? []
  return Number(gid ?? uid)
}

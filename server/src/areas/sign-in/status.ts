// Whether administrators can sign in: the accounts that failed sign-ins closed.

import { counted } from '../../core/contract/counted.ts'
import type { StatusItem } from '../../core/contract/fields.ts'
import { type SaidText, say } from '../../shared/said.ts'
import { type ClosedAccount, reopenAccount } from './contract.ts'

/** Signing in itself works, so it is active; the message shows whom it does not work for. */
export const signInStatusItems = (closed: readonly ClosedAccount[]): StatusItem[] => [
  { name: 'sign-in', status: 'active', msg: closed.map(messageOf) },
]

function messageOf({ admin_id, login, since, failures, addresses }: ClosedAccount): SaidText {
  const time = new Date(since * 1000).toISOString()
  const reopen = reopenAccount.path.replace(':admin_id', admin_id)
  return say`The account ${login} is closed to sign-in since ${time} after ${counted(failures, 'failure')} from ${counted(addresses, 'address', 'addresses')}. Reopen it with DELETE ${reopen}.`
}

// The accounts that our processes run as: one for gatewayd, one for each engine that has none of a Debian package, and one
// for each server of the lab. On a host, an account that exists by name is used (deploy/systemd makes them). Otherwise it is
// a number of a block that belongs to the state folder alone, so that two gateways on one machine have no power over each
// other. A number needs no entry in /etc/passwd.

/** The first is that of gatewayd; the order gives the numbers, so new ones go to the end. */
export const accountNames = [
  'portcullis',
  'portcullis-wpad',
  'portcullis-share-upload',
  'portcullis-dhcp-client',
  'portcullis-lab-web',
  'portcullis-lab-dns',
  'portcullis-portal',
  'portcullis-snmp',
  'portcullis-monitoring-agent',
  'portcullis-flow-export',
  'portcullis-web-filter',
  'portcullis-web-proxy',
  'portcullis-antivirus',
  'portcullis-inspection',
  'portcullis-classifier',
  'portcullis-trial',
] as const
export type AccountName = (typeof accountNames)[number]

export interface Account {
  readonly uid: number
  readonly gid: number
}

/** The last block, for an applyd that was started without a launcher and without accounts by name. */
export const fixedBlock = 99_984

/**
 * The accounts that count by name: those of the machine where it is itself the gateway. A lab beside it must not have them,
 * because it would own the files and the socket of that gateway.
 */
export const knownAccounts = (plane: 'lab' | 'host' | 'none', passwd: string): string =>
  plane === 'host' ? passwd : ''

/** The account of that name, or its number in the block. One that is mapped to root would undo what it exists for. */
export function findAccount(passwd: string, name: AccountName, block: number): Account {
  const fields = passwd
    .split('\n')
    .map((line) => line.split(':'))
    .find(([login]) => login === name)
  const [uid, gid] = [Number(fields?.[2]), Number(fields?.[3])]
  const number = block + accountNames.indexOf(name)
  return uid > 0 && gid > 0 ? { uid, gid } : { uid: number, gid: number }
}

// The production tables: the engines, and what applyd switches itself. Nothing here depends on a particular engine.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Account, type AccountName, findAccount, fixedBlock, knownAccounts } from '../core/engine/accounts.ts'
import type { DataPlane } from '../core/plan/artifacts.ts'
import { productionEngines } from '../engines/applyd.ts'
import { confine } from '../engines/kit/confine.ts'
import type { Engine } from '../engines/kit/privileged.ts'
import type { NftSpec, ServiceAccount, Tables } from '../engines/kit/tables.ts'
import { ownApp, plainOption } from '../shared/files/plain.ts'
import { engineTables, readPasswd } from './engine-tables.ts'

/** The runtime reserves half a gigabyte that it never uses. */
const cutterLimits = { nofile: 64, data: 1024 * 1024 * 1024 }

/** In a user namespace the service is root too, and no other account exists. */
export function productionTables(
  stateDir: string,
  account: ServiceAccount,
  plane: DataPlane,
  options: {
    readonly engines?: readonly Engine[]
    readonly block?: number
    readonly passwd?: string
    readonly way?: NftSpec['way']
  } = {},
): Tables {
  const { engines = productionEngines, block = fixedBlock, passwd = readPasswd(), way } = options
  const service = account?.uid === 0 ? null : account
  const accountOf = (name: AccountName): Account | undefined =>
    service ? findAccount(knownAccounts(plane, passwd), name, block) : undefined
  const [first, hardware] = ['inet portcullis', 'netdev portcullis_hw'] as const
  return {
    nft: { command: ['/usr/sbin/nft'], tables: [first, hardware], boot: 'inet portcullis_boot', way },
    ...engineTables(engines, { stateDir, plane, service, accountOf }),
    settings: '/proc/sys/net',
    tracking: {
      table: '/proc/net/nf_conntrack',
      switches: ['acct', 'timestamp'].map((name) => `/proc/sys/net/netfilter/nf_conntrack_${name}`),
    },
    // The flow exporter has the same right over the same table, so the two need not be kept from each other.
    cutter: [
      ...confine({ user: accountOf('portcullis-flow-export'), capabilities: ['net_admin'], limits: cutterLimits }),
      process.execPath,
      plainOption(ownApp),
      '--max-semi-space-size=2',
      '--max-old-space-size=256',
      '--disable-warning=ExperimentalWarning',
      join(import.meta.dirname, '..', 'exporters', 'connection-cutter.ts'),
    ],
    trial: [
      ...unshared(accountOf('portcullis-trial')),
      process.execPath,
      plainOption(ownApp),
      join(import.meta.dirname, '..', 'tools', 'trial', 'main.ts'),
    ],
  }
}

/**
 * In the sandbox of its unit root may make no networks (capabilities(7), bit 21). A trial may in a user namespace of an account
 * without rights: root itself would need one more right to be root there.
 */
function unshared(account: Account | undefined): readonly string[] {
  const [, rights = '0'] = readFileSync('/proc/self/status', 'latin1').match(/^CapEff:\s*([0-9a-f]+)$/m) ?? []
  if (!account || process.geteuid?.() !== 0 || (BigInt(`0x${rights}`) & (1n << 21n)) !== 0n) return []
  const user = [`--reuid=${account.uid}`, `--regid=${account.gid}`, '--clear-groups']
  return ['/usr/bin/setpriv', ...user, '--', '/usr/bin/unshare', '--user', '--map-root-user', '--']
}

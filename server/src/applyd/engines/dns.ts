// The DNS server as an entry of the tables: unbound, where its files lie and what it is always told. It starts as root for
// port 53 and steps down to the account of its package.

import { chmodSync, chownSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { availableParallelism, totalmem } from 'node:os'
import { join } from 'node:path'
import type { DataPlane } from '../../plan/artifacts.ts'
import type { Command, FileSpec, FileTemplate, UnitSpec } from '../tables.ts'
import {
  checkOf,
  dnsFileName,
  dnsPolicyFileName,
  dnsZoneTemplate,
  faultsIn,
  readIfThere,
  reloadOf,
} from './dns-files.ts'

export const dnsUnitName = 'unbound'

const account = 'unbound'
const [hintsPath, anchorPath] = ['/usr/share/dns/root.hints', '/usr/share/dns/root.key']

export interface DnsOptions {
  readonly stateDir: string
  readonly plane: DataPlane
  /** False in a user namespace, where root is the only account there is. */
  readonly hasAccounts: boolean
}

export interface DnsEntries {
  readonly files: readonly (readonly [string, FileSpec])[]
  readonly zones: FileTemplate
  readonly unit: UnitSpec
  /** Once, before the unit starts. */
  readonly makeReady: () => void
}

export function dnsEntries(options: DnsOptions): DnsEntries {
  const folder = join(options.stateDir, 'unbound')
  const zones = join(folder, 'zones')
  // Read again at a reload, when it is no longer root.
  const gid = options.hasAccounts ? groupOf(account) : null
  const readable = { mode: 0o640, ...(gid === null ? {} : { gid }) }
  const controlFile = join(folder, 'control.conf')
  const policyPath = join(folder, 'policy.zone')
  const control = (...words: string[]): Command => ({
    program: '/usr/sbin/unbound-control',
    args: ['-c', controlFile, ...words],
  })
  return {
    files: [
      [dnsFileName, { path: join(folder, dnsFileName), ...readable, ending: endingOf(options, folder) }],
      [dnsPolicyFileName, { path: policyPath, ...readable }],
    ],
    zones: { folder: zones, ...readable, isForced: false },
    unit: {
      program: '/usr/sbin/unbound',
      args: ['-d', '-p', '-c', `{${dnsFileName}}`],
      files: [dnsFileName, dnsPolicyFileName, `${dnsZoneTemplate}.*`],
      check: (staged, staging) => checkOf(staged, staging, { folder, zones, policyPath }),
      reload: (changed, before) => reloadOf(changed, before, readIfThere(join(folder, dnsFileName)), control),
      probe: { kind: 'tcp', host: '127.0.0.1', port: 53, timeoutMs: 5_000 },
      limits: { nofile: 4096 },
      // Port 53 may be somebody else's: that must be told, but it is no reason to refuse a rule of the firewall.
      isOptional: true,
      directives: (file, text) => faultsIn(file, text),
    },
    makeReady: () => {
      for (const path of [folder, zones]) {
        mkdirSync(path, { recursive: true })
        chownSync(path, process.geteuid?.() ?? 0, gid ?? process.getegid?.() ?? 0)
        chmodSync(path, 0o750)
      }
      writeFileSync(controlFile, controlLines(folder), { mode: 0o600 })
    },
  }
}

/** What no plan decides. Everything in here stands after the plan's own lines and so wins over them. */
function endingOf({ stateDir, plane, hasAccounts }: DnsOptions, folder: string): string {
  const cache = cacheMegabytes(totalmem())
  return `
server:
  username: "${hasAccounts ? account : ''}"
  chroot: ""
  directory: "${folder}"
  pidfile: ""
  use-syslog: no
  do-daemonize: no
  interface: 0.0.0.0
  interface-automatic: yes
  do-ip6: no
  num-threads: ${Math.min(4, availableParallelism())}
  msg-cache-size: ${cache}m
  rrset-cache-size: ${2 * cache}m
  outgoing-range: 800
  num-queries-per-thread: 400
  incoming-num-tcp: 50
  module-config: "respip validator iterator"
  hide-identity: yes
  hide-version: yes
  hide-trustanchor: yes
  minimal-responses: yes
  qname-minimisation: yes
  harden-glue: yes
  harden-dnssec-stripped: yes
  harden-below-nxdomain: yes
  harden-referral-path: no
  use-caps-for-id: no
  aggressive-nsec: yes
  prefetch: yes
  prefetch-key: yes
  serve-expired: yes
  serve-expired-ttl: 86400
  serve-expired-client-timeout: 1800
  val-log-level: 1
${anchorLines(stateDir, plane)}${existsSync(hintsPath) ? `  root-hints: "${hintsPath}"\n` : ''}
${controlLines(folder)}`
}

/** The internet of the lab has a root of its own: signed when its key lies in the lab's folder, otherwise not. */
function anchorLines(stateDir: string, plane: DataPlane): string {
  if (plane !== 'lab') return existsSync(anchorPath) ? `  trust-anchor-file: "${anchorPath}"\n` : ''
  const lines = readIfThere(join(stateDir, 'lab', 'root.key')).split('\n')
  return lines
    .filter((line) => /^[A-Za-z0-9.+/=\t ]+$/.test(line))
    .map((line) => `  trust-anchor: "${line}"\n`)
    .join('')
}

const controlLines = (folder: string): string => `remote-control:
  control-enable: yes
  control-interface: "${join(folder, 'control.sock')}"
  control-use-cert: no
`

/** A sixty-fourth of the memory for messages and twice that for records, which is filled only by what is asked. */
export const cacheMegabytes = (memory: number): number =>
  Math.round(Math.min(256, Math.max(8, memory / 64 / 1024 / 1024)))

function groupOf(name: string): number | null {
  const fields = readIfThere('/etc/passwd')
    .split('\n')
    .map((line) => line.split(':'))
    .find(([own]) => own === name)
  const gid = Number(fields?.[3])
  return gid > 0 ? gid : null
}

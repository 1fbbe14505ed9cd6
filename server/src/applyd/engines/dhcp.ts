// The DHCP server and relay as an entry of the tables: dnsmasq, with its leases below the state folder, where gatewayd
// reads them.

import { chmodSync, chownSync, closeSync, constants, fchmodSync, fchownSync, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import type { FileSpec, ServiceAccount, UnitSpec } from '../tables.ts'

export const dhcpUnitName = 'dhcp'
export const dhcpSettingsFile = 'dnsmasq.conf'
/** Who is bound to which address: dnsmasq reads it again when told, and knows nothing else anew. */
export const dhcpHostsFile = 'dhcp-hosts'

const folderOf = (stateDir: string): string => join(stateDir, 'dhcp')
const leasesOf = (stateDir: string): string => join(folderOf(stateDir), 'leases')

/** Every form of a line of the settings. No program, no path, no further file, no other port than that of DHCP. */
const settingsForms: readonly RegExp[] = [
  /^(?:|port=0|no-resolv|no-hosts|bind-dynamic|dhcp-authoritative|quiet-dhcp|dhcp-lease-max=\d+)$/,
  /^# [A-Za-z0-9_.[\]-]+$/,
  /^interface=[A-Za-z0-9_.-]{1,15}$/,
  /^dhcp-relay=[0-9.]{7,15},[0-9.]{7,15}$/,
  /^dhcp-range=set:c\d+n\d+,[0-9.]{7,15},(?:[0-9.]{7,15}|static),[0-9.]{7,15},\d+m$/,
  /^dhcp-(?:boot|option|option-force)=tag:c\d+n\d+,.+$/,
]
const hostForm = /^(?:(?:[0-9a-f]{2}:){5}[0-9a-f]{2},)?[0-9.]{7,15}$/

/** dnsmasq takes what a longer line has left for another line. */
const longestLine = 1023

function directives(file: string, text: string): readonly string[] {
  const isKnown = (line: string): boolean =>
    file === dhcpHostsFile ? line === '' || hostForm.test(line) : settingsForms.some((form) => form.test(line))
  return text
    .split('\n')
    .filter((line) => !isKnown(line) || Buffer.byteLength(line) > longestLine)
    .map((line) => `The line "${line.slice(0, 100)}" may not stand in ${file}.`)
}

/** Without an account of the service root is the only one there is, as in a user namespace. */
export function dhcpUnit(
  stateDir: string,
  service: ServiceAccount,
): { readonly files: readonly (readonly [string, FileSpec])[]; readonly unit: UnitSpec } {
  return {
    files: [
      [dhcpSettingsFile, { path: join(stateDir, 'applyd', dhcpSettingsFile), mode: 0o600 }],
      // Read after dnsmasq has stepped down; which card has which address is no secret in its own network.
      [dhcpHostsFile, { path: join(folderOf(stateDir), 'hosts'), mode: 0o644 }],
    ],
    unit: {
      program: '/usr/sbin/dnsmasq',
      args: [
        // It steps down to the account of its package and keeps the rights to answer cards that have no address yet.
        ...(service ? ['--keep-in-foreground', '--user=dnsmasq'] : ['--no-daemon']),
        ...['--log-facility=-', '--pid-file=', `--conf-file={${dhcpSettingsFile}}`],
        ...[`--dhcp-hostsfile={${dhcpHostsFile}}`, `--dhcp-leasefile=${leasesOf(stateDir)}`],
      ],
      files: [dhcpSettingsFile, dhcpHostsFile],
      check: { program: '/usr/sbin/dnsmasq', args: ['--test', `--conf-file={${dhcpSettingsFile}}`] },
      reload: (changed) => (changed?.every((file) => file === dhcpHostsFile) ? { signal: 'SIGHUP' } : 'restart'),
      probe: { kind: 'udp', port: 67, timeoutMs: 3000 },
      // Whoever has an address goes on without it, so rules of the firewall do not wait for it.
      isOptional: true,
      limits: { nofile: 1024, as: 512 * 1024 * 1024 },
      directives,
    },
  }
}

/** Once at the start of applyd: the leases stand in a file that dnsmasq only ever rewrites in place. */
export function prepareDhcp(stateDir: string, service: ServiceAccount): void {
  const folder = folderOf(stateDir)
  mkdirSync(folder, { recursive: true })
  chownSync(folder, process.geteuid?.() ?? 0, process.getegid?.() ?? 0)
  chmodSync(folder, 0o711)
  const { O_RDWR, O_CREAT, O_NOFOLLOW } = constants
  const file = openSync(leasesOf(stateDir), O_RDWR | O_CREAT | O_NOFOLLOW, 0o600)
  try {
    if (service) fchownSync(file, process.geteuid?.() ?? 0, service.gid)
    fchmodSync(file, 0o640)
  } finally {
    closeSync(file)
  }
}

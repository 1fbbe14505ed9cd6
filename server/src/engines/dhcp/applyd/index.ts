// dnsmasq as the DHCP server and relay. It writes its leases below the state folder, where gatewayd reads them.

import { constants, fchmodSync, fchownSync } from 'node:fs'
import { join } from 'node:path'
import { withFile } from '../../../shared/files/durable.ts'
import { defineEngine, type Place } from '../../kit/privileged.ts'
import { dhcp, leasesPath } from '../index.ts'

const program = '/usr/sbin/dnsmasq'

/** Every form of a line of the settings. No program, no path, no further file, no other port than that of DHCP. */
const settingsForms: readonly RegExp[] = [
  /^(?:|port=0|no-resolv|no-hosts|bind-dynamic|dhcp-authoritative|no-ping|quiet-dhcp|dhcp-lease-max=\d+)$/,
  /^# [A-Za-z0-9_.[\]-]+$/,
  /^interface=[A-Za-z0-9_][A-Za-z0-9_.-]{0,14}$/,
  /^dhcp-relay=[0-9.]{7,15},[0-9.]{7,15}$/,
  /^dhcp-range=set:c\d+n\d+,[0-9.]{7,15},(?:[0-9.]{7,15}|static),[0-9.]{7,15},\d+m$/,
  /^dhcp-(?:boot|option|option-force)=tag:c\d+n\d+,.+$/,
]
const hostForm = /^(?:(?:[0-9a-f]{2}:){5}[0-9a-f]{2},)?[0-9.]{7,15}$/

/** dnsmasq reads the rest of a longer line as another line. */
const longestLine = 1023

export const dhcpEngine = defineEngine(dhcp, (place) => ({
  units: {
    dhcp: {
      program,
      args: [
        // It switches to the account of its package and keeps the right to answer cards that have no address yet.
        ...(place.service ? ['--keep-in-foreground', '--user=dnsmasq'] : ['--no-daemon']),
        '--log-facility=-',
        '--pid-file=',
        '--conf-file={dnsmasq.conf}',
        '--dhcp-hostsfile={dhcp-hosts}',
        `--dhcp-leasefile=${leasesOf(place)}`,
      ],
      files: {
        'dnsmasq.conf': { lines: settingsForms, mostLineBytes: longestLine },
        'dhcp-hosts': { lines: ['', hostForm] },
      },
      check: { program, args: ['--test', '--conf-file={dnsmasq.conf}'] },
      reload: (changed) => (changed?.every((file) => file === 'dhcp-hosts') ? { signal: 'SIGHUP' } : 'restart'),
      probe: { kind: 'udp', port: dhcp.ports.requests.destinationPort, timeoutMs: 3000 },
      // Hosts that have an address work without it, so rules of the firewall do not wait for it.
      isOptional: true,
      capabilities: ['net_admin', 'net_bind_service', 'net_raw', 'setgid', 'setuid'],
      limits: { nofile: 1024, data: 512 * 1024 * 1024, nproc: 64 },
    },
  },
  unitTemplates: {},
  prepare: () => makeLeases(place),
}))

const leasesOf = ({ stateDir }: Place): string => join(stateDir, leasesPath)

/** dnsmasq only rewrites the file in place, so it keeps its owner and mode. */
function makeLeases(place: Place): void {
  withFile(leasesOf(place), constants.O_RDWR | constants.O_CREAT, (file) => {
    if (place.service) fchownSync(file, process.geteuid?.() ?? 0, place.service.gid)
    fchmodSync(file, 0o640)
  })
}

// unbound as the DNS server. It starts as root for port 53 and switches to the account of its package.

import { join } from 'node:path'
import { ensureWritten } from '../../../shared/files/durable.ts'
import { defineEngine } from '../../kit/privileged.ts'
import type { Command } from '../../kit/tables.ts'
import { dns } from '../index.ts'
import { checkOf, configurationForms, readIfThere, reloadOf, zoneForms } from './files.ts'
import { controlSettings, fixedSettings } from './settings.ts'

export const dnsEngine = defineEngine(dns, (place) => {
  const folder = join(place.stateDir, 'unbound')
  const settingsPath = join(place.stateDir, dns.files['unbound.conf'].path)
  const policyPath = join(place.stateDir, dns.files['unbound-policy.zone'].path)
  const zones = join(place.stateDir, dns.fileTemplates['unbound-zone'].folder)
  const controlFile = join(folder, 'control.conf')
  const control = (...words: string[]): Command => ({
    program: '/usr/sbin/unbound-control',
    args: ['-c', controlFile, ...words],
  })
  return {
    units: {
      dns: {
        program: '/usr/sbin/unbound',
        args: ['-d', '-p', '-c', '{unbound.conf}'],
        files: {
          'unbound.conf': { lines: configurationForms },
          'unbound-policy.zone': { lines: zoneForms },
          'unbound-zone.*': { lines: zoneForms },
        },
        check: (staged, staging) => checkOf(staged, staging, { settingsPath, zones, policyPath }),
        reload: (changed, before) => reloadOf(changed, before, readIfThere(settingsPath), control),
        probe: { kind: 'tcp', host: '127.0.0.1', port: dns.ports.tcp.destinationPort, timeoutMs: 5_000 },
        // Port 53, then the account of its package.
        capabilities: ['net_bind_service', 'setgid', 'setuid'],
        limits: { nofile: 16384, data: 2048 * 1024 * 1024, nproc: 64 },
        // Another program may hold port 53: the status shows it, but rules of the firewall are still applied.
        isOptional: true,
      },
    },
    unitTemplates: {},
    endings: { 'unbound.conf': fixedSettings(place, folder) },
    prepare: () => ensureWritten(controlFile, controlSettings(folder), { mode: 0o600 }),
  }
})

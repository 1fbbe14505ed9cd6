// udhcpc as the DHCP client of a device: it requests and renews the lease, our event program records it, and nothing here
// changes the device. Addresses and routes come from the plan, which gatewayd makes from the lease as from any other fact.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ensureWritten } from '../../../shared/files/durable.ts'
import { ownApp, plainHook } from '../../../shared/files/plain.ts'
import { defineEngine } from '../../kit/privileged.ts'
import { clientLeasesFolder, dhcpClient } from '../index.ts'

const client = ['/usr/sbin/udhcpc', '/sbin/udhcpc'].find((path) => existsSync(path)) ?? '/usr/sbin/udhcpc'

const recorder = pathToFileURL(join(import.meta.dirname, '..', 'lease-event.ts')).href

export const dhcpClientEngine = defineEngine(dhcpClient, ({ stateDir, accountOf }) => {
  // Of root, but readable: the client starts it as its own account.
  const eventProgram = join(stateDir, 'dhcp-client', 'event.mjs')
  return {
    units: {},
    unitTemplates: {
      /** Requests only the options that are used; never gives up, because a provider may be down for days. */
      'dhcp-client': (device) => ({
        program: client,
        args: [
          '-f',
          '-i',
          device,
          '-s',
          eventProgram,
          '-t',
          '4',
          '-T',
          '2',
          '-A',
          '10',
          '-o',
          '-O',
          'subnet',
          '-O',
          'router',
          '-O',
          'dns',
        ],
        files: {},
        check: null,
        reload: 'restart',
        probe: { kind: 'alive', forMs: 200 },
        // A device without a lease is not a reason to refuse rules.
        isOptional: true,
        user: accountOf('portcullis-dhcp-client'),
        capabilities: ['net_bind_service', 'net_raw'],
        // Its event program is a runtime, with threads and half a gigabyte that it reserves and never uses.
        limits: { nofile: 256, data: 1024 * 1024 * 1024, nproc: 128 },
      }),
    },
    prepare: () => {
      const folder = join(stateDir, clientLeasesFolder)
      const text = [
        `#!${process.execPath}`,
        `import ${JSON.stringify(plainHook(ownApp))}`,
        `const { momentNow, recordEvent } = await import(${JSON.stringify(recorder)})`,
        `recordEvent(${JSON.stringify(folder)}, process.argv[2] ?? '', process.env, momentNow(Date.now() / 1000))`,
        '',
      ].join('\n')
      ensureWritten(eventProgram, text, { mode: 0o755 })
    },
  }
})

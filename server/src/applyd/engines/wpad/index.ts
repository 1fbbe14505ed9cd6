// busybox as the server of the proxy file, one for each address of the gateway that announces it. It serves one folder with
// one file and nothing else.

import { existsSync } from 'node:fs'
import { isIPv4 } from 'node:net'
import { join } from 'node:path'
import { wpad } from '../../../engines/wpad/index.ts'
import { writeDurable } from '../../../files/durable.ts'
import { defineEngine } from '../engine.ts'

/** Direct proxy connections are not supported yet, so the file names no proxy and all clients connect directly. */
const proxyFile = 'function FindProxyForURL(url, host) { return "DIRECT"; }\n'

const busybox = ['/usr/bin/busybox', '/bin/busybox'].find((path) => existsSync(path)) ?? '/usr/bin/busybox'
const port = wpad.ports.web.destinationPort

/** `nobody:nogroup`, the account that owns nothing. */
const nobody = '65534:65534'

export const wpadEngine = defineEngine(wpad, ({ stateDir, service }) => {
  const folder = join(stateDir, 'wpad', 'files')
  // Outside of the folder that is served.
  const types = join(stateDir, 'wpad', 'types')
  return {
    units: {},
    unitTemplates: {
      /** An instance is named by its address; any other name listens on loopback. */
      wpad: (address) => {
        const host = isIPv4(address) && !address.startsWith('0.') ? address : '127.0.0.1'
        return {
          program: busybox,
          // It needs root for its port, and drops it before it reads a request.
          args: [
            ...['httpd', '-f', '-p', `${host}:${port}`, '-h', folder, '-c', types],
            ...(service ? ['-u', nobody] : []),
          ],
          files: [],
          check: null,
          reload: 'restart',
          probe: { kind: 'tcp', host, port, timeoutMs: 3000 },
          isOptional: true,
          limits: { nofile: 256, as: 64 * 1024 * 1024 },
          directives: () => [],
        }
      },
    },
    prepare: () => {
      writeDurable(join(folder, 'wpad.dat'), proxyFile, { mode: 0o644 })
      // Browsers do not accept the file without its type.
      writeDurable(types, '.dat:application/x-ns-proxy-autoconfig\n', { mode: 0o644 })
    },
  }
})

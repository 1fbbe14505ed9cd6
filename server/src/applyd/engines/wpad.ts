// The server of the proxy file as an entry of the tables: one httpd of busybox for each address of the gateway that
// announces it. It serves one folder with one file and nothing else.

import { chmodSync, existsSync, mkdirSync } from 'node:fs'
import { isIPv4 } from 'node:net'
import { join } from 'node:path'
import { writeDurable } from '../durable.ts'
import type { ServiceAccount, UnitSpec } from '../tables.ts'

export const wpadTemplateName = 'wpad'

/** Nothing takes direct proxy connections yet, so there is no proxy to name and everybody goes directly. */
const proxyFile = 'function FindProxyForURL(url, host) { return "DIRECT"; }\n'

/** What is served, and beside it what httpd reads after it has stepped down. */
const folderOf = (stateDir: string): string => join(stateDir, 'wpad', 'files')
const typesOf = (stateDir: string): string => join(stateDir, 'wpad', 'types')

const busybox = ['/usr/bin/busybox', '/bin/busybox'].find((path) => existsSync(path)) ?? '/usr/bin/busybox'

/** nobody:nogroup, the account of those who own nothing. */
const nobody = '65534:65534'

/** An instance is named by its address; any other name listens where nobody is. */
export const wpadServer =
  (stateDir: string, service: ServiceAccount) =>
  (address: string): UnitSpec => {
    const host = isIPv4(address) && !address.startsWith('0.') ? address : '127.0.0.1'
    return {
      program: busybox,
      // It needs root for its port, and steps down before it reads a request.
      args: [
        ...['httpd', '-f', '-p', `${host}:80`, '-h', folderOf(stateDir), '-c', typesOf(stateDir)],
        ...(service ? ['-u', nobody] : []),
      ],
      files: [],
      check: null,
      reload: 'restart',
      probe: { kind: 'tcp', host, port: 80, timeoutMs: 3000 },
      isOptional: true,
      limits: { nofile: 256, as: 64 * 1024 * 1024 },
      directives: () => [],
    }
  }

/** Once at the start of applyd: the folder that is served, and the type without which browsers do not take the file. */
export function prepareWpad(stateDir: string): void {
  mkdirSync(folderOf(stateDir), { recursive: true })
  for (const folder of [join(stateDir, 'wpad'), folderOf(stateDir)]) chmodSync(folder, 0o755)
  writeDurable(join(folderOf(stateDir), 'wpad.dat'), proxyFile, { mode: 0o644 })
  writeDurable(typesOf(stateDir), '.dat:application/x-ns-proxy-autoconfig\n', { mode: 0o644 })
}

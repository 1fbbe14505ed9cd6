// Starts the portal: its file, its certificate, its listeners. Wiring only. Arguments: the file, the folder of the
// certificate, the socket of gatewayd, the ports of HTTP and HTTPS. SIGHUP: the file has changed.

import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { type PortalFile, parsePortalFile } from '../engines/portal/settings-file.ts'
import { CertificateRenewal } from '../shared/certificates/certificate-renewal.ts'
import { tlsOptions } from '../shared/certificates/tls.ts'
import { giveMemoryBack } from '../shared/memory.ts'
import { GatewayClient } from './gateway-client.ts'
import { Portal } from './server.ts'

const [filePath = '', certificateFolder = '', socketPath = '', plainPort = '', securePort = ''] = process.argv.slice(2)
/** A certificate with more addresses than this would burden every handshake. */
const maxAddresses = 50
const renewMs = 3600 * 1000
const log = (message: string): void => console.error(message.replaceAll('\n', ' '))

const readSettings = (): PortalFile | string => parsePortalFile(readFileSync(filePath, 'utf8'))

const first = readSettings()
if (typeof first === 'string') throw new Error(`The settings cannot be used. ${first}`)
let file: PortalFile = first
/** Until the portal runs there is nothing to apply the file to. */
let apply = (): void => {}
process.on('SIGHUP', () => {
  const next = readSettings()
  if (typeof next === 'string') return log(`The settings cannot be used, the earlier ones stay. ${next}`)
  file = next
  apply()
})

const names = (): string[] =>
  [...new Set([...file.addresses.slice(0, maxAddresses), file.host.toLowerCase(), 'localhost', '127.0.0.1'])].filter(
    (name) => isIP(name) !== 0 || /^[a-z0-9][a-z0-9.-]*$/.test(name),
  )

const renewal = await CertificateRenewal.start({ folder: certificateFolder, names, now: () => new Date() })
const gateway = new GatewayClient(socketPath)
const portal = new Portal({
  file,
  gateway,
  log,
  tls: tlsOptions(renewal.current),
  securePort: Number(securePort),
})
renewal.follow(portal.secure)
portal.secure.listen({ host: '0.0.0.0', port: Number(securePort), backlog: 1024 })
portal.plain.listen({ host: '0.0.0.0', port: Number(plainPort), backlog: 1024 })

/** Twice, because a look that was under way may have begun with the earlier names. */
const renew = (): void =>
  void renewal
    .look()
    .then(() => renewal.look())
    .catch((fault: unknown) => log(`The certificate was not renewed: ${fault}`))
setInterval(renew, renewMs).unref()

apply = () => {
  portal.apply(file)
  renew()
}
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => process.exit(0))
giveMemoryBack()

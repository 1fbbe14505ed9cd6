// The gateway behind its real TLS listener, on its own port, and raw bytes sent to it.

import { mkdtempSync, rmSync } from 'node:fs'
import type { Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls'
import { guardConnections } from '../../src/gatewayd/http/connections.ts'
import { createTlsServer, ensureCertificate, type ServerCertificate } from '../../src/shared/certificates/tls.ts'
import { createTestGateway, type TestGateway, type TestOptions } from '../support/test-gateway.ts'
import { patienceMs } from '../support/until.ts'

export interface TlsGateway {
  readonly gateway: TestGateway
  readonly server: Server
  readonly port: number
  readonly certificate: ServerCertificate
  readonly folder: string
  close(): Promise<void>
}

export async function createTlsGateway(
  prepare: (server: Server) => void = () => {},
  options: Pick<TestOptions, 'extraAreas' | 'parts'> = {},
): Promise<TlsGateway> {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-tls-'))
  const certificate = await ensureCertificate(folder, ['localhost', '127.0.0.1', '::1'], new Date())
  let server: Server | null = null
  const gateway = await createTestGateway({
    ...options,
    parts: {
      ...options.parts,
      serverFactory: (handler) => {
        server = guardConnections(createTlsServer(certificate, handler))
        prepare(server)
        return server
      },
    },
  })
  await gateway.http.listen({ host: '127.0.0.1', port: 0 })
  if (!server) throw new Error('no listener was made')
  const listening = server as Server
  const close = async (): Promise<void> => {
    listening.closeAllConnections()
    await gateway.close()
    rmSync(folder, { recursive: true, force: true })
  }
  return { gateway, server: listening, port: (listening.address() as AddressInfo).port, certificate, folder, close }
}

/** A TLS connection that trusts exactly the gateway's own root. */
export const openTls = ({ port, certificate }: TlsGateway, options: ConnectionOptions = {}): Promise<TLSSocket> =>
  new Promise((resolve, reject) => {
    const ca = certificate.chain.slice(certificate.chain.indexOf('-----BEGIN', 1))
    const socket = connect({ host: '127.0.0.1', port, ca, servername: 'localhost', ...options }, () => resolve(socket))
    socket.once('error', reject)
  })

export interface RawAnswer {
  /** Statuses of all answers that came back, in order. */
  readonly statuses: readonly number[]
  readonly text: string
  /** Whether the gateway closed the connection. */
  readonly closed: boolean
}

/** Sends bytes as they are; resolves when the gateway closes, or has answered `answers` times. */
export async function sendRaw(target: TlsGateway, bytes: string | Buffer, answers = 1): Promise<RawAnswer> {
  const socket = await openTls(target)
  return new Promise((resolve) => {
    let text = ''
    const statuses = (): number[] => [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map((match) => Number(match[1]))
    const finish = (closed: boolean): void => {
      clearTimeout(timer)
      socket.destroy()
      resolve({ statuses: statuses(), text, closed })
    }
    // Only a gateway that neither answers nor closes waits for this; the assertion then says so.
    const timer = setTimeout(() => finish(false), patienceMs)
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1')
      const isWhole = /\r\n\r\n/.test(text) && !/content-length: [1-9]\d*\r\n(?:.*\r\n)*\r\n$/i.test(text)
      // An answer that announces the end is waited for; others end the wait when there are enough.
      if (isWhole && statuses().length >= answers && !/^connection: close/im.test(text)) finish(false)
    })
    socket.on('error', () => finish(true))
    socket.on('close', () => finish(true))
    socket.write(bytes)
  })
}

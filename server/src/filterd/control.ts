// The socket at which applyd asks to read the files again: `reload` is answered with `ok` and the digest once the new rules
// decide, or with `fault` and why the earlier ones stay.

import { chmodSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:net'

const idleMs = 60_000
const connectionLimit = 16

export async function listenForReloads(
  path: string,
  reload: () => Promise<{ digest: string } | { fault: string }>,
): Promise<Server> {
  const server = createServer((socket) => {
    let text = ''
    socket.setTimeout(idleMs, () => socket.destroy())
    socket.on('error', () => socket.destroy())
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      if (text !== 'reload\n') {
        if (text.length > 'reload\n'.length) socket.destroy()
        return
      }
      void reload()
        .catch((error: unknown) => ({ fault: String(error) }))
        .then((result) =>
          socket.end('digest' in result ? `ok ${result.digest}\n` : `fault ${result.fault.replaceAll(/\s+/g, ' ')}\n`),
        )
    })
  })
  server.maxConnections = connectionLimit
  rmSync(path, { force: true })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, resolve)
  })
  chmodSync(path, 0o600)
  return server
}

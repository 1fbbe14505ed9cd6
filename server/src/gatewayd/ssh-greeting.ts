// Which ports of this machine are those of SSH: its servers greet first (RFC 4253, 4.2).

import { connect } from 'node:net'
import type { InboundConnection } from '../areas/web-proxy/runs/tcp-connections.ts'

const greeting = 'SSH-'
const patienceMilliseconds = 3_000

/** Those of the places at which an SSH server answers. */
export async function keepSsh(places: readonly InboundConnection[]): Promise<readonly InboundConnection[]> {
  const answers = await Promise.all(places.map(greetsAsSsh))
  return places.filter((_, at) => answers[at])
}

function greetsAsSsh({ address, port }: InboundConnection): Promise<boolean> {
  return new Promise((resolve) => {
    let heard = ''
    const socket = connect({ host: address, port })
    const end = (isSsh: boolean): void => {
      socket.destroy()
      resolve(isSsh)
    }
    socket.setTimeout(patienceMilliseconds, () => end(false))
    socket.on('error', () => end(false))
    socket.on('close', () => resolve(false))
    socket.on('data', (bytes) => {
      heard += bytes.toString('latin1')
      if (heard.length >= greeting.length) end(heard.startsWith(greeting))
    })
  })
}

// The near end of wire tests: tries connections given as JSON on standard input, all at once, and prints for each what the
// sink answered, "refused" or "unreachable" when that was the answer and it was asked for, or null when there was no answer
// before the timeout.

import { createSocket } from 'node:dgram'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'

interface Probe {
  readonly protocol: 'tcp' | 'udp'
  readonly source: string
  readonly sourcePort?: number
  readonly destination: string
  readonly port: number
  readonly timeoutMs: number
  /** Tell a refusal from silence. */
  readonly wantsRefusal?: boolean
}

const refusals: Readonly<Record<string, string>> = { ECONNREFUSED: '"refused"', EHOSTUNREACH: '"unreachable"' }

const refusal = ({ wantsRefusal }: Probe, error: NodeJS.ErrnoException): string | null =>
  wantsRefusal ? (refusals[error.code ?? ''] ?? null) : null

const tcp = (probe: Probe): Promise<string | null> =>
  new Promise((resolve) => {
    const socket = connect({
      host: probe.destination,
      port: probe.port,
      localAddress: probe.source,
      ...(probe.sourcePort === undefined ? {} : { localPort: probe.sourcePort }),
    })
    let answer = ''
    socket.on('data', (part) => {
      answer += part
    })
    socket.on('end', () => resolve(answer))
    socket.on('error', (error) => resolve(refusal(probe, error)))
    setTimeout(() => {
      socket.destroy()
      resolve(null)
    }, probe.timeoutMs)
  })

const udp = (probe: Probe): Promise<string | null> =>
  new Promise((resolve) => {
    const socket = createSocket(probe.destination.includes(':') ? 'udp6' : 'udp4')
    const finish = (answer: string | null) => {
      clearInterval(again)
      resolve(answer)
    }
    // Only a connected socket hears that no one is there.
    const send = () => (probe.wantsRefusal ? socket.send('?') : socket.send('?', probe.port, probe.destination))
    const again = setInterval(send, 200)
    socket.on('message', (answer) => finish(answer.toString()))
    socket.on('error', (error) => finish(refusal(probe, error)))
    const start = probe.wantsRefusal ? () => socket.connect(probe.port, probe.destination, send) : send
    socket.bind(probe.sourcePort ?? 0, probe.source, start)
    setTimeout(() => finish(null), probe.timeoutMs)
  })

const probes = JSON.parse(await text(process.stdin)) as Probe[]
const answers = await Promise.all(probes.map((probe) => (probe.protocol === 'tcp' ? tcp(probe) : udp(probe))))
process.stdout.write(JSON.stringify(answers.map((answer) => (answer ? JSON.parse(answer) : null))))
process.exit(0)

// Sends bytes as they are from a namespace of the lab, over TCP and over TLS inside of it, and tells what came back. Argument: a
// JSON file with exchanges. Certificates are not checked.

import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

/** One step: bytes to send, a text to wait for, or TLS from here on. */
export type RawStep =
  | { readonly send: string }
  | { readonly await: string }
  | { readonly tls: string; readonly alpn?: readonly string[] }

export interface RawExchange {
  readonly address: string
  readonly port: number
  readonly steps: readonly RawStep[]
}

export interface RawReply {
  /** Of the innermost connection, one character a byte. */
  readonly text: string
  /** Why it ended, where that was not the other side. */
  readonly fault: string
}

/** Ends an exchange that the other side leaves open. */
const limitMs = 8_000
const atOnce = 48

function run({ address, port, steps }: RawExchange): Promise<RawReply> {
  return new Promise((resolve) => {
    let [text, fault] = ['', '']
    const outer = connect(port, address)
    let socket: Socket = outer
    let left = [...steps]
    const end = (): void => {
      clearTimeout(timer)
      outer.destroy()
      resolve({ text: text.slice(0, 4_000), fault })
    }
    const timer = setTimeout(() => {
      fault ||= 'no end'
      end()
    }, limitMs)
    const go = (): void => {
      const [step] = left
      if (step === undefined) return
      if ('await' in step) {
        if (!text.includes(step.await)) return
        text = ''
      }
      left = left.slice(1)
      if ('send' in step) socket.write(Buffer.from(step.send, 'latin1'))
      if (!('tls' in step)) {
        go()
        return
      }
      socket.removeAllListeners('data')
      socket = connectTls({
        socket,
        servername: step.tls,
        rejectUnauthorized: false,
        ALPNProtocols: [...(step.alpn ?? [])],
      })
      follow(socket)
      socket.once('secureConnect', go)
    }
    const follow = (one: Socket): void => {
      one.on('data', (chunk: Buffer) => {
        text += chunk.toString('latin1')
        go()
      })
      one.on('error', (error: NodeJS.ErrnoException) => {
        fault ||= error.code ?? error.message
        end()
      })
      one.on('close', end)
    }
    follow(outer)
    outer.once('connect', go)
  })
}

const waiting = (JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as readonly RawExchange[]).map(
  (exchange, index) => ({ exchange, index }),
)
const replies: RawReply[] = []
const work = async (): Promise<void> => {
  for (let next = waiting.shift(); next; next = waiting.shift()) replies[next.index] = await run(next.exchange)
}
await Promise.all(Array.from({ length: atOnce }, work))
process.stdout.write(JSON.stringify(replies))

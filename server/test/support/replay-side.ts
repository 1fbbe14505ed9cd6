// One side of replayed conversations, in a network namespace: the order comes as one line of JSON on standard input. A server
// says that it is ready and tells what it saw when its standard input ends; a client tells the results when it is through.

import { createSocket, type Socket as DatagramSocket } from 'node:dgram'
import { createServer, Socket } from 'node:net'
import { createInterface } from 'node:readline'
import type { Ending, SideOrder, SideResult, WireConversation, WireTurn } from './replay.ts'

type Told = Omit<SideResult, 'id'>

const print = (value: object): void => {
  process.stdout.write(`${JSON.stringify(value)}\n`)
}

const bytesOf = ({ data }: WireTurn): Buffer => Buffer.from(data, 'base64')

/** What both protocols share: whose turn it is, and whether the other side has said what the recording says. */
class Script {
  readonly #turns: readonly WireTurn[]
  readonly #self: 'client' | 'server'
  #at = 0
  #heard: Buffer = Buffer.alloc(0)

  constructor(turns: readonly WireTurn[], self: 'client' | 'server') {
    this.#turns = turns
    this.#self = self
  }

  get isOver(): boolean {
    return this.#at === this.#turns.length
  }

  get place(): string {
    return `turn ${this.#at} of ${this.#turns.length}`
  }

  /** What to say now; false when the other side said something else. */
  hear(data: Buffer): readonly Buffer[] | false {
    this.#heard = Buffer.concat([this.#heard, data])
    while (true) {
      const turn = this.#turns[this.#at]
      if (turn === undefined) return this.#heard.length === 0 ? this.say() : false
      if (turn.from === this.#self) return this.say()
      const wanted = bytesOf(turn)
      const common = Math.min(wanted.length, this.#heard.length)
      if (!wanted.subarray(0, common).equals(this.#heard.subarray(0, common))) return false
      if (common < wanted.length) return []
      this.#heard = this.#heard.subarray(common)
      this.#at++
    }
  }

  say(): readonly Buffer[] {
    const out: Buffer[] = []
    while (true) {
      const turn = this.#turns[this.#at]
      if (turn?.from !== this.#self) return out
      out.push(bytesOf(turn))
      this.#at++
    }
  }
}

const isRefusal = (error: NodeJS.ErrnoException): boolean =>
  ['ECONNRESET', 'ECONNREFUSED', 'EPIPE', 'EHOSTUNREACH', 'ENETUNREACH', 'EACCES'].includes(error.code ?? '')

/** Over one connection that is open, or (for a client) is being made. */
function converse(socket: Socket, script: Script, self: 'client' | 'server', silenceMs: number): Promise<Told> {
  return new Promise((resolve) => {
    let isDone = false
    const finish = (ending: Ending, detail = ''): void => {
      if (isDone) return
      isDone = true
      clearTimeout(timer)
      resolve({ ending, detail: detail === '' ? '' : `${detail} at ${script.place}` })
      if (ending === 'completed') socket.end()
      else socket.resetAndDestroy()
    }
    const timer = setTimeout(() => finish('stalled', 'silence'), silenceMs)
    const go = (out: readonly Buffer[] | false): void => {
      if (out === false) finish('reset', 'other bytes than recorded')
      else for (const data of out) socket.write(data)
      // The client says that it is through, and the server answers that when it has everything.
      if (script.isOver && self === 'client') socket.end()
    }
    socket.setNoDelay(true)
    socket.on('error', (error: NodeJS.ErrnoException) =>
      finish(error.code === 'ETIMEDOUT' ? 'stalled' : 'reset', error.code ?? error.message),
    )
    socket.on('data', (data: Buffer) => {
      timer.refresh()
      go(script.hear(data))
    })
    socket.on('end', () => finish(script.isOver ? 'completed' : 'reset', script.isOver ? '' : 'an early end'))
    socket.on('close', () => finish('reset', 'closed'))
    if (self === 'client') socket.once('connect', () => go(script.say()))
    else go(script.say())
  })
}

function connect(order: SideOrder, { source, port, protocol, turns }: WireConversation, from: number): Promise<Told> {
  const script = new Script(turns, 'client')
  const { address, silenceMs } = order
  if (protocol === 'udp') return sendDatagrams(script, { address, port, source, from, silenceMs })
  const socket = new Socket({ allowHalfOpen: true })
  const told = converse(socket, script, 'client', silenceMs)
  socket.connect({ host: address, port, localAddress: source, localPort: from })
  return told
}

interface Way {
  readonly address: string
  readonly port: number
  readonly source: string
  readonly from: number
  readonly silenceMs: number
}

function sendDatagrams(script: Script, { address, port, source, from, silenceMs }: Way): Promise<Told> {
  return new Promise((resolve) => {
    const socket: DatagramSocket = createSocket('udp4')
    let isDone = false
    const finish = (ending: Ending, detail = ''): void => {
      if (isDone) return
      isDone = true
      clearTimeout(timer)
      socket.close()
      resolve({ ending, detail })
    }
    const timer = setTimeout(() => finish('stalled', 'silence'), silenceMs)
    const go = (out: readonly Buffer[] | false): void => {
      if (out === false) finish('reset', 'other bytes than recorded')
      else for (const data of out) socket.send(data)
      if (script.isOver) finish('completed')
    }
    // A refusal over ICMP comes as an error of the socket, because it is connected.
    socket.on('error', (error: NodeJS.ErrnoException) =>
      finish(isRefusal(error) ? 'reset' : 'stalled', error.code ?? error.message),
    )
    socket.on('message', (data) => go(script.hear(data)))
    socket.bind({ address: source, port: from }, () => socket.connect(port, address, () => go(script.say())))
  })
}

/** One after the other, until one does not end well. */
async function repeat(order: SideOrder, conversation: WireConversation): Promise<Told> {
  let told: Told = { ending: 'completed', detail: '' }
  for (let at = 0; at < conversation.times && told.ending === 'completed'; at++)
    told = await connect(order, conversation, conversation.firstPort + at)
  return told
}

async function runClient(order: SideOrder): Promise<void> {
  const waiting = order.conversations.values()
  const work = async (): Promise<void> => {
    for (const conversation of waiting) print({ id: conversation.id, ...(await repeat(order, conversation)) })
  }
  await Promise.all(Array.from({ length: order.parallel }, work))
}

async function runServer(order: SideOrder): Promise<void> {
  const byPort = new Map<string, WireConversation>()
  const results = new Map<number, Told>()
  for (const conversation of order.conversations) {
    results.set(conversation.id, { ending: 'stalled', detail: 'never came' })
    for (let at = 0; at < conversation.times; at++)
      byPort.set(`${conversation.protocol} ${conversation.firstPort + at}`, conversation)
  }
  const ports = new Set(order.conversations.map(({ protocol, port }) => `${protocol} ${port}`))
  const listen = [...ports].map((key) => {
    const [protocol = '', text] = key.split(' ')
    const port = Number(text)
    return protocol === 'tcp' ? listenForConnections(port) : listenForDatagrams(port)
  })
  await Promise.all(listen)
  print({ isReady: true })

  function listenForConnections(port: number): Promise<void> {
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      const conversation = byPort.get(`tcp ${socket.remotePort}`)
      if (conversation === undefined) {
        socket.on('error', () => {})
        print({ unknown: `${socket.remoteAddress}:${socket.remotePort} to port ${port}` })
        socket.resetAndDestroy()
        return
      }
      results.set(conversation.id, { ending: 'stalled', detail: 'began' })
      const script = new Script(conversation.turns, 'server')
      void converse(socket, script, 'server', order.silenceMs).then((told) => results.set(conversation.id, told))
    })
    return new Promise((resolve, reject) => {
      server.once('error', reject)
      server.listen({ host: order.address, port, backlog: 511 }, resolve)
    })
  }

  function listenForDatagrams(port: number): Promise<void> {
    const socket = createSocket('udp4')
    const scripts = new Map<number, Script>()
    socket.on('message', (data, { address, port: from }) => {
      const conversation = byPort.get(`udp ${from}`)
      if (conversation === undefined) return print({ unknown: `${address}:${from} to port ${port}` })
      const script = scripts.get(from) ?? new Script(conversation.turns, 'server')
      scripts.set(from, script)
      const out = script.hear(data)
      if (out === false) return void results.set(conversation.id, { ending: 'reset', detail: 'other bytes' })
      for (const answer of out) socket.send(answer, from, address)
      if (script.isOver) results.set(conversation.id, { ending: 'completed', detail: '' })
    })
    return new Promise((resolve, reject) => {
      socket.once('error', reject)
      socket.bind({ address: order.address, port }, resolve)
    })
  }

  process.stdin.on('end', () => {
    for (const [id, told] of results) print({ id, ...told })
    process.stdout.write('', () => process.exit(0))
  })
}

const lines = createInterface({ input: process.stdin })
lines.once('line', (line) => {
  const order = JSON.parse(line) as SideOrder
  const running = order.role === 'client' ? runClient(order).then(() => process.exit(0)) : runServer(order)
  running.catch((error: unknown) => {
    process.stderr.write(`${error}\n`)
    process.exit(1)
  })
})

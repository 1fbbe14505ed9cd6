// One measurement, in a process of its own in the network of the client: so many connections ask one after the other for so
// long, and what came is counted after a first fifth that warms up. Argument: the order as JSON. Prints the outcome as JSON.

import { connect } from 'node:net'
import { connect as connectTls } from 'node:tls'

export interface LoadOrder {
  /** `requests`: many on each connection. `connections`: a new TLS connection for each request. */
  readonly kind: 'requests' | 'connections'
  readonly address: string
  readonly connections: number
  readonly milliseconds: number
  /** Each connection asks for one of these. */
  readonly hosts: readonly string[]
  /** Of every answer. */
  readonly status: number
}

export interface LoadOutcome {
  readonly count: number
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  readonly failed: number
  /** The last that went wrong. */
  readonly fault: string
}

const order = JSON.parse(process.argv[2] ?? '{}') as LoadOrder
const begun = performance.now()
const warm = begun + order.milliseconds / 5
const end = begun + order.milliseconds
const times: number[] = []
let asked = 0
let failed = 0
let fault = ''

const note = (since: number): void => {
  if (since >= warm) times.push(performance.now() - since)
}
const fail = (why: string): void => {
  failed += 1
  fault = why
}
const requestFor = (host: string): string => {
  asked += 1
  return `GET /page/${process.pid}/${asked}.html HTTP/1.1\r\nHost: ${host}\r\nUser-Agent: bench\r\nAccept: */*\r\nAccept-Language: en\r\n\r\n`
}

/** Calls back with the status of each whole answer. */
function answersOf(took: (status: number) => void): (chunk: Buffer) => void {
  let head = ''
  let left = -1
  let status = 0
  return (chunk) => {
    let body = chunk.length
    if (left < 0) {
      head += chunk.toString('latin1')
      const headEnd = head.indexOf('\r\n\r\n')
      if (headEnd === -1) return
      body = head.length - headEnd - 4
      status = Number(head.slice(9, 12))
      left = Number(/\r\ncontent-length: ([0-9]{1,9})/i.exec(head.slice(0, headEnd))?.[1] ?? 0)
      head = ''
    }
    left -= body
    if (left > 0) return
    left = -1
    took(status)
  }
}

function keepAsking(host: string): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect({ host: order.address, port: 80, noDelay: true })
    let since = performance.now()
    const ask = (): void => {
      since = performance.now()
      socket.write(requestFor(host))
    }
    socket.on('connect', ask)
    socket.on(
      'data',
      answersOf((status) => {
        if (status !== order.status) fail(`status ${status}`)
        note(since)
        if (performance.now() < end) ask()
        else socket.destroy()
      }),
    )
    socket.on('error', (error) => fail(error.message))
    socket.on('end', () => fail('the connection was ended'))
    socket.on('close', () => resolve())
  })
}

function connectOnce(host: string): Promise<void> {
  return new Promise((resolve) => {
    const since = performance.now()
    // What is measured is not whether the certificate is good.
    const socket = connectTls({ host: order.address, port: 443, servername: host, rejectUnauthorized: false })
    socket.on('secureConnect', () => socket.write(requestFor(host)))
    socket.on(
      'data',
      answersOf((status) => {
        if (status !== order.status) fail(`status ${status}`)
        note(since)
        socket.destroy()
      }),
    )
    socket.on('error', (error) => fail(error.message))
    socket.on('close', () => resolve())
  })
}

async function connectAgain(host: string): Promise<void> {
  while (performance.now() < end) await connectOnce(host)
}

if (order.address) {
  const run = order.kind === 'requests' ? keepAsking : connectAgain
  const hosts = Array.from({ length: order.connections }, (_, at) => order.hosts[at % order.hosts.length] ?? '')
  await Promise.all(hosts.map(run))
  times.sort((a, b) => a - b)
  const at = (part: number): number => times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? 0
  const outcome: LoadOutcome = {
    count: asked,
    perSecond: (times.length * 1000) / (performance.now() - warm),
    failed,
    fault,
    p50: at(0.5),
    p99: at(0.99),
  }
  console.log(JSON.stringify(outcome))
}

// A DHCP client for tests, run inside a namespace of the lab: sends requests over a broadcast socket for any hardware
// address and prints every field and option of the answer. It requests broadcast answers, so it needs no address.

import { createSocket } from 'node:dgram'
import type { DhcpAnswer, DhcpAsk } from './dhcp.ts'

const types = { discover: 1, offer: 2, request: 3, ack: 5, nak: 6 }
const codes = { requested: 50, type: 53, server: 54, wants: 55 }
const cookie = '63825363'

const bytesOf = (address: string): Buffer => Buffer.from(address.split('.').map(Number))
const option = (code: number, data: Buffer): Buffer => Buffer.concat([Buffer.from([code, data.length]), data])

function messageOf(transaction: Buffer, { mac, wants, options = {} }: DhcpAsk, ...parts: Buffer[]): Buffer {
  const head = Buffer.alloc(236)
  head.set([1, 1, 6, 0])
  transaction.copy(head, 4)
  head.writeUInt16BE(0x8000, 10)
  Buffer.from(mac.replaceAll(':', ''), 'hex').copy(head, 28)
  const more = Object.entries(options).map(([code, hex]) => option(Number(code), Buffer.from(hex, 'hex')))
  const list = wants ? [option(codes.wants, Buffer.from(wants))] : []
  return Buffer.concat([head, Buffer.from(cookie, 'hex'), ...parts, ...list, ...more, Buffer.from([255])])
}

function parse(message: Buffer): DhcpAnswer | null {
  if (message.length < 240 || message.toString('hex', 236, 240) !== cookie) return null
  const address = (at: number): string => [...message.subarray(at, at + 4)].join('.')
  const text = (from: number, to: number): string => message.toString('utf8', from, to).replace(/\0.*$/s, '')
  const options: Record<number, string> = {}
  for (let at = 240; at < message.length && message[at] !== 255; ) {
    const [code = 0, length = 0] = [message[at], message[at + 1]]
    if (code === 0) at += 1
    else {
      options[code] = (options[code] ?? '') + message.toString('hex', at + 2, at + 2 + length)
      at += 2 + length
    }
  }
  return {
    type: Number.parseInt(options[codes.type] ?? '0', 16),
    address: address(16),
    nextServer: address(20),
    serverName: text(44, 108),
    file: text(108, 236),
    options,
  }
}

const asks = JSON.parse(await new Response(process.stdin as never).text()) as DhcpAsk[]
const socket = createSocket({ type: 'udp4', reuseAddr: true })
await new Promise<void>((resolve) => socket.bind(68, resolve))
socket.setBroadcast(true)

/** Sends until an answer of one of the types comes; null when none does before the timeout. */
function converse(ask: DhcpAsk, expected: readonly number[], ...parts: Buffer[]): Promise<DhcpAnswer | null> {
  const transaction = Buffer.from([...crypto.getRandomValues(new Uint8Array(4))])
  const message = messageOf(transaction, ask, ...parts)
  const send = (): void => socket.send(message, 67, ask.to ?? '255.255.255.255', () => {})
  return new Promise((resolve) => {
    const finish = (answer: DhcpAnswer | null): void => {
      clearInterval(again)
      clearTimeout(limit)
      socket.off('message', hear)
      resolve(answer)
    }
    const hear = (data: Buffer): void => {
      const answer = data.subarray(4, 8).equals(transaction) ? parse(data) : null
      if (answer && expected.includes(answer.type)) finish(answer)
    }
    const again = setInterval(send, 1000)
    const limit = setTimeout(() => finish(null), ask.timeoutMs ?? 60_000)
    socket.on('message', hear)
    send()
  })
}

const typed = (type: number): Buffer => option(codes.type, Buffer.from([type]))

async function perform(ask: DhcpAsk): Promise<DhcpAnswer | null> {
  const wish = ask.address ? [option(codes.requested, bytesOf(ask.address))] : []
  const final = [types.ack, types.nak]
  if (ask.kind === 'reboot') return converse(ask, final, typed(types.request), ...wish)
  const offer = await converse(ask, [types.offer], typed(types.discover), ...wish)
  if (offer === null || ask.kind === 'discover') return offer
  const server = option(codes.server, Buffer.from(offer.options[codes.server] ?? '', 'hex'))
  return converse(ask, final, typed(types.request), option(codes.requested, bytesOf(offer.address)), server)
}

/** Another host was faster with the same address. */
async function insist(ask: DhcpAsk): Promise<DhcpAnswer | null> {
  const answer = await perform(ask)
  return answer?.type === types.nak ? insist(ask) : answer
}

socket.setMaxListeners(0)
const answers: (DhcpAnswer | null)[] = []
if (process.argv.includes('together')) answers.push(...(await Promise.all(asks.map(insist))))
else for (const ask of asks) answers.push(await perform(ask))
process.stdout.write(JSON.stringify(answers), () => process.exit(0))

// What the classifier keeps and forgets of connections, what it takes of a packet, and what it believes of an answer.

import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { Connections } from './connections.ts'
import { detect, parseAnswer } from './detect.ts'
import { connectionKey, parsePacket, printCapture } from './packet.ts'

const [client, server] = [
  [10, 0, 0, 2],
  [192, 0, 2, 9],
]

interface Made {
  readonly from: number[]
  readonly to: number[]
  readonly ports: readonly [number, number]
  readonly flags?: number
  readonly sequence?: number
  readonly text?: string
}

function tcpPacket({ from, to, ports, flags = 0x18, sequence = 1, text = '' }: Made): Buffer {
  const bytes = Buffer.alloc(40 + text.length)
  bytes.writeUInt8(0x45, 0)
  bytes.writeUInt16BE(bytes.length, 2)
  bytes.writeUInt8(64, 8)
  bytes.writeUInt8(6, 9)
  Buffer.from(from).copy(bytes, 12)
  Buffer.from(to).copy(bytes, 16)
  bytes.writeUInt16BE(ports[0], 20)
  bytes.writeUInt16BE(ports[1], 22)
  bytes.writeUInt32BE(sequence, 24)
  bytes.writeUInt32BE(1, 28)
  bytes.writeUInt8(0x50, 32)
  bytes.writeUInt8(flags, 33)
  bytes.write(text, 40, 'latin1')
  return bytes
}

const made = (text: string, port = 40_000, flags = 0x18) =>
  parsePacket(tcpPacket({ from: client ?? [], to: server ?? [], ports: [port, 443], flags, text })) ?? assert.fail()

describe('a packet', () => {
  it('has the same key in both directions', () => {
    const key = 'tcp 10.0.0.2:40000 192.0.2.9:443'
    assert.equal(made('hello').key, key)
    const back = tcpPacket({ from: server ?? [], to: client ?? [], ports: [443, 40_000] })
    assert.equal(parsePacket(back)?.key, key)
    assert.equal(connectionKey('tcp', '192.0.2.9:443', '10.0.0.2:40000'), key)
  })

  it('says how long it is, not how long it was before it was cut', () => {
    const cut = tcpPacket({ from: client ?? [], to: server ?? [], ports: [1, 2], text: 'x'.repeat(100) })
    cut.writeUInt16BE(60_000, 2)
    const packet = parsePacket(cut) ?? assert.fail()
    assert.deepEqual([packet.bytes.readUInt16BE(2), packet.bytes.length], [140, 140])
  })

  it('is left out when it is not whole, a later fragment, or of another kind', () => {
    const whole = tcpPacket({ from: client ?? [], to: server ?? [], ports: [1, 2] })
    assert.notEqual(parsePacket(whole), null)
    for (let length = 0; length < 40; length++) assert.equal(parsePacket(whole.subarray(0, length)), null)
    for (const [at, value] of [
      [0, 0x65],
      [0, 0x41],
      [7, 0x01],
      [9, 1],
    ] as const) {
      const other = Buffer.from(whole)
      other.writeUInt8(value, at)
      assert.equal(parsePacket(other), null, `${at}`)
    }
  })
})

describe('connections', () => {
  const ssh = { name: 'SSH', server: '' }
  const look = (connections: Connections, found: readonly string[]) => {
    const round = connections.round()
    const fresh = connections.settle(round, new Map(found.map((key) => [key, ssh])))
    return { keys: [...round.keys()], fresh: fresh.map(([key]) => key) }
  }

  it('are looked at when they have carried something, and reported once', () => {
    const connections = new Connections()
    connections.add(made('', 1, 0x02))
    assert.deepEqual(look(connections, []).keys, [])
    const { key, ...rest } = made('hello', 1)
    connections.add({ key, ...rest })
    assert.deepEqual(look(connections, [key]), { keys: [key], fresh: [key] })
    connections.add(made('more', 1))
    assert.deepEqual(look(connections, [key]), { keys: [key], fresh: [] })
    assert.deepEqual(look(connections, [key]).keys, [], 'nothing new')
  })

  it('that meet again are other connections', () => {
    const connections = new Connections()
    const { key } = made('hello', 1)
    connections.add(made('hello', 1))
    look(connections, [key])
    assert.equal(connections.known.size, 1)
    connections.add(made('', 1, 0x02))
    assert.equal(connections.known.size, 0)
  })

  it('are given up after a few rounds, and need no place when they are over', () => {
    const connections = new Connections()
    for (let round = 0; round < 6; round++) {
      connections.add(made('nonsense', 1))
      look(connections, [])
    }
    connections.add(made('hello', 2))
    look(connections, [made('', 2).key])
    connections.keep(() => false)
    assert.deepEqual([connections.known.size, connections.waiting], [0, 0])
  })

  it('take no more room than there is', () => {
    const connections = new Connections({ waiting: 10, known: 5, roundBytes: 1_000_000 })
    for (let port = 1; port <= 100; port++) connections.add(made('hello', port))
    assert.equal(connections.waiting, 10)
    const round = connections.round()
    connections.settle(round, new Map([...round.keys()].map((key) => [key, ssh])))
    assert.equal(connections.known.size, 5)
    const small = new Connections({ waitingBytes: 1000 })
    for (let port = 1; port <= 100; port++) small.add(made('x'.repeat(60), port))
    assert.equal(small.waiting, 10)
  })
})

describe('the answer of ndpiReader', () => {
  const numbers = '5,339,71,4,285,69,0.087,Mixed,20.9'
  const line = (port: number, name: string, server: string) =>
    `1,6,1.000,1.000,0.000,10.0.0.2,${port},192.0.2.9,443,91.124,${name},${server},${numbers}`
  const keyOf = (port: number) => `tcp 10.0.0.2:${port} 192.0.2.9:443`

  it('gives the application and the name of the server', () => {
    const found = parseAnswer(
      `#flow_id,protocol\n${line(7, 'TLS.YouTube', 'www.YouTube.com')}\n${line(8, 'Unknown', '')}\n`,
    )
    assert.deepEqual([...found], [[keyOf(7), { name: 'TLS.YouTube', server: 'www.youtube.com' }]])
  })

  it('takes no syntax from names of the network', () => {
    for (const name of ['a,b', 'a"b', '<b>', 'a b', '../../x', '-rf', 'x'.repeat(300), '\u001b[31m', '1,2,3,4,5,6,7,x'])
      assert.match(parseAnswer(line(7, 'TLS', name)).get(keyOf(7))?.server ?? 'none', /^1?$/, name)
    assert.equal(parseAnswer(line(7, 'TLS;x', 'a')).size, 0)
  })

  it('is not believed where two lines disagree about a connection', () => {
    const found = parseAnswer([line(7, 'TLS', 'a'), line(7, 'SSH', ''), line(8, 'TLS', 'a')].join('\n'))
    assert.deepEqual([...found.keys()], [keyOf(8)])
  })

  it('comes from the real program', { skip: !existsSync('/usr/bin/ndpiReader') }, async () => {
    const ends = { from: client ?? [], to: server ?? [], ports: [40_000, 9999] } as const
    const back = { from: server ?? [], to: client ?? [], ports: [9999, 40_000] } as const
    const packets = [
      tcpPacket({ ...ends, flags: 0x02, sequence: 0 }),
      tcpPacket({ ...back, flags: 0x12, sequence: 0 }),
      tcpPacket({ ...back, text: 'SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n' }),
      tcpPacket({ ...ends, text: 'SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n' }),
    ]
    const path = join(tmpdir(), `portcullis-answer-${process.pid}.csv`)
    const found = await detect(printCapture(packets), path)
    assert.deepEqual([...found], [['tcp 10.0.0.2:40000 192.0.2.9:9999', { name: 'SSH', server: '' }]])
    assert.equal(existsSync(path), false)
    await assert.rejects(detect(printCapture(packets), '/nowhere/answer.csv'))
  })
})

// Requirement 60.

import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { UnitSpec } from '../engines/kit/tables.ts'
import { describeHeld, heldBefore } from './machine/ports.ts'
import { benchTables, plainNft } from './stand-ins/harness.ts'
import { answers, askReload, commandLine, inputsOf, unitCommandLine } from './units.ts'

const spec = benchTables('/tmp', plainNft, 5353).units.get('dns') ?? assert.fail()

test('a probe sees a TCP port, a UDP port and a socket while they are open, and not after', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'probe-'))
  const tcp = createServer().listen(0, '127.0.0.1')
  const local = createServer().listen(join(directory, 's'))
  const udp = createSocket('udp4').bind(0, '127.0.0.1')
  await Promise.all([tcp, local, udp].map((server) => once(server, 'listening')))
  const timeoutMs = 100
  const probes = [
    { kind: 'tcp', host: '127.0.0.1', port: (tcp.address() as AddressInfo).port, timeoutMs },
    { kind: 'unix', path: join(directory, 's'), timeoutMs },
    { kind: 'udp', port: udp.address().port, timeoutMs },
  ] as const
  assert.deepEqual(await Promise.all(probes.map((probe) => answers(probe, new Set()))), [true, true, true])
  tcp.close()
  local.close()
  udp.close()
  assert.deepEqual(await Promise.all(probes.map((probe) => answers(probe, new Set()))), [false, false, false])
  rmSync(directory, { recursive: true })
})

for (const host of ['127.0.0.1', '0.0.0.0'])
  test(`sockets that others had on ${host} before the start do not answer for an engine`, async () => {
    const tcp = createServer().listen(0, host)
    const udp = createSocket('udp4').bind(0, host)
    await Promise.all([tcp, udp].map((server) => once(server, 'listening')))
    const probes = [
      { kind: 'tcp', host: '127.0.0.1', port: (tcp.address() as AddressInfo).port, timeoutMs: 100 },
      { kind: 'udp', port: udp.address().port, timeoutMs: 100 },
    ] as const
    const before = probes.map(heldBefore)
    const ask = () => Promise.all(probes.map((probe, index) => answers(probe, before[index] ?? assert.fail())))
    assert.deepEqual(await ask(), [false, false])
    for (const [index, { kind, port }] of probes.entries()) {
      const words = describeHeld(probes[index] ?? assert.fail(), before[index] ?? assert.fail())
      assert.ok(words.startsWith(`Port ${port} (${kind}) is held by `), words)
      assert.ok(words.includes(`(process ${process.pid}) on ${host}.`), words)
    }
    // The engine opens its own beside that of the other program, on another address where it must.
    const own = createServer().listen(probes[0].port, host === '0.0.0.0' ? '::1' : '127.0.0.2')
    await once(own, 'listening')
    assert.deepEqual(await ask(), [true, false])
    const closed = [once(tcp, 'close'), once(udp, 'close'), once(own, 'close')]
    tcp.close()
    udp.close()
    own.close()
    await Promise.all(closed)
    assert.equal(describeHeld(probes[0], before[0] ?? assert.fail()), '')
  })

test('a program that is asked to reload answers, refuses, breaks off or is silent', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'reload-'))
  const path = join(directory, 's')
  let reply = ''
  let isOpen = false
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy())
    socket.once('data', (asked) => {
      assert.equal(asked.toString(), 'reload\n')
      // In two parts, as a network may deliver it.
      socket.write(reply.slice(0, 3), () => (isOpen ? socket.write(reply.slice(3)) : socket.end(reply.slice(3))))
    })
  }).listen(path)
  await once(server, 'listening')
  const ask = (text: string, isKept = true, limitMs = 20_000) => {
    reply = text
    isOpen = isKept
    return askReload(path, limitMs)
  }
  assert.equal(await ask('ok 5f2a\n'), null)
  assert.equal(await ask('fault Rule 3 has no category: "ж".\n'), 'Rule 3 has no category: "ж".')
  for (const text of ['ok', 'yes\n', 'okay\n', ''])
    assert.equal(await ask(text, false), 'Its answer is not valid.', JSON.stringify(text))
  assert.equal(await ask('x'.repeat(10_000)), 'Its answer is not valid.')
  assert.equal(await ask('ok 5', true, 50), 'It does not answer.')
  server.close()
  assert.equal(await ask('ok\n'), 'It does not answer.', 'no one listens')
  rmSync(directory, { recursive: true })
})

test('file names in arguments become paths, as one argument each whatever the path holds', () => {
  const command = { program: '/bin/x', args: ['--a={one.conf}', '{two}', 'plain'] }
  assert.deepEqual(
    commandLine(command, (file) => `/p q/${file}`),
    ['/bin/x', '--a=/p q/one.conf', '/p q/two', 'plain'],
  )
})

test('a user and limits are set by programs that become the engine', () => {
  const limits = { nofile: 64, data: 1024, nproc: 3 }
  const capabilities = ['net_raw'] as const
  const unit: UnitSpec = { ...spec, user: { uid: 7, gid: 8 }, capabilities, limits, program: '/bin/x', args: [] }
  assert.deepEqual(
    unitCommandLine(unit, (file) => file),
    [
      '/usr/bin/prlimit',
      '--core=0',
      '--nofile=64',
      '--data=1024',
      '--nproc=3',
      '--',
      '/usr/bin/setpriv',
      '--reuid=7',
      '--regid=8',
      '--clear-groups',
      '--no-new-privs',
      '--inh-caps=-all,+net_raw',
      '--ambient-caps=-all,+net_raw',
      '--bounding-set=-all,+net_raw',
      '--',
      '/bin/x',
    ],
  )
})

test('inputs change with a file, with the command line, with the user, and with nothing else', () => {
  const content = (text: string) => new Map([[Object.keys(spec.files)[0] ?? '', Buffer.from(text)]])
  const first = inputsOf(spec, content('a'))
  assert.equal(inputsOf({ ...spec, probe: { kind: 'alive', forMs: 1 } }, content('a')), first)
  const others = [
    inputsOf(spec, content('b')),
    inputsOf(spec, new Map()),
    inputsOf({ ...spec, args: [] }, content('a')),
    inputsOf({ ...spec, user: { uid: 1, gid: 1 } }, content('a')),
  ]
  assert.equal(new Set([first, ...others]).size, 5)
  assert.equal(inputsOf(spec, new Map([...content('a'), ['another', Buffer.from('b')]])), first)
})

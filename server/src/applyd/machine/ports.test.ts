import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { findHolders, listenersOf, showAddress } from './ports.ts'

test('addresses of the kernel are shown as people write them', () => {
  const cases = {
    '00000000': '0.0.0.0',
    '3500007F': '127.0.0.53',
    '00000000000000000000000000000000': '::',
    '00000000000000000000000001000000': '::1',
    '0000000000000000FFFF00000100007F': '127.0.0.1',
    B80D01200000000000000000020000FF: '2001:db8::ff00:2',
  }
  for (const [hex, shown] of Object.entries(cases)) assert.equal(showAddress(hex), shown)
})

test('sockets that wait for others are read with their holders, connections are not', () => {
  const proc = mkdtempSync(join(tmpdir(), 'ports-'))
  mkdirSync(join(proc, 'self/net'), { recursive: true })
  const rest = '00000000:00000000 00:00000000 00000000     0        0'
  writeFileSync(
    join(proc, 'self/net/tcp'),
    `  sl  local_address rem_address   st\n   0: 3500007F:0035 00000000:0000 0A ${rest} 41 1\n   1: 0100007F:0035 0100007F:C000 01 ${rest} 42 1\n`,
  )
  mkdirSync(join(proc, '7/fd'), { recursive: true })
  writeFileSync(join(proc, '7/comm'), 'systemd-resolve\n')
  writeFileSync(join(proc, '7/environ'), 'A=1\0PORTCULLIS_UNIT=/state/applyd:dns\0')
  symlinkSync('socket:[41]', join(proc, '7/fd/3'))
  assert.deepEqual(listenersOf('tcp', proc), [{ protocol: 'tcp', address: '127.0.0.53', port: 53, inode: '41' }])
  assert.deepEqual(listenersOf('udp', proc), [])
  assert.deepEqual(
    [...findHolders(['41', '42'], proc)],
    [['41', { pid: 7, program: 'systemd-resolve', mark: '/state/applyd:dns' }]],
  )
  rmSync(proc, { recursive: true })
})

test('the name of a program is one line, whatever it calls itself', () => {
  const proc = mkdtempSync(join(tmpdir(), 'ports-'))
  mkdirSync(join(proc, '7/fd'), { recursive: true })
  writeFileSync(join(proc, '7/comm'), Buffer.from('a\n\u001b[31m\u0085b\n', 'latin1'))
  symlinkSync('socket:[41]', join(proc, '7/fd/3'))
  assert.equal(findHolders(['41'], proc).get('41')?.program, 'a [31m b')
  rmSync(proc, { recursive: true })
})

// What closes a machine before its rules are loaded: who administers it over another port of SSH must still get in.

import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { appRoot } from './layout.ts'
import { runTool } from './tools.ts'

describe('ports of SSH', () => {
  let machine: string
  beforeEach(() => {
    machine = mkdtempSync(join(tmpdir(), 'portcullis-ssh-'))
  })
  afterEach(() => rmSync(machine, { recursive: true }))

  const write = (path: string, ...lines: string[]): void => {
    mkdirSync(dirname(join(machine, path)), { recursive: true })
    writeFileSync(join(machine, path), lines.join('\n'))
  }
  const found = (): string[] =>
    runTool('sh', [join(appRoot, 'deploy/ssh-ports.sh'), machine])
      .split('\n')
      .filter(Boolean)

  it('are those that its settings name, wherever they are', () => {
    write(
      'etc/ssh/sshd_config',
      '#Port 1',
      'Port 22',
      '  PORT 2022 # second',
      'Port="2023"',
      'ListenAddress 192.0.2.1:2024',
    )
    write('etc/ssh/sshd_config.d/own.conf', 'ListenAddress [2001:db8::1]:2025', 'Port 2026')
    write(
      'etc/systemd/system/ssh.socket.d/own.conf',
      '[Socket]',
      'ListenStream=',
      'ListenStream=2027',
      'ListenStream=[::]:2028',
    )
    assert.deepEqual(found(), ['2022', '2023', '2024', '2025', '2026', '2027', '2028'])
  })

  it('are nothing but ports', () => {
    const odd = ['Port 70000', 'Port 0', 'Port 2222; drop', 'Port 2222 }', 'Port $(id)', 'ListenAddress ::1', 'PortX 9']
    write('etc/ssh/sshd_config', ...odd, ...Array.from({ length: 40 }, (_, at) => `Port ${3000 + at}`))
    assert.deepEqual(
      found(),
      Array.from({ length: 16 }, (_, at) => `${3000 + at}`),
    )
  })

  it('are absent where SSH has no settings', () => {
    assert.deepEqual(found(), [])
  })

  it('are opened beside port 22 when the machine is closed', () => {
    const script = readFileSync(join(appRoot, 'deploy/close.sh'), 'utf8')
    assert.match(
      script,
      /for port in \$\("\$\{0%\/\*\}\/ssh-ports\.sh"\); do\n.*nft add rule inet portcullis_boot input tcp dport "\$port" accept/,
    )
  })
})

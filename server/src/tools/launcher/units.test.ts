// The unit files for a machine that is itself the gateway, judged by systemd.
// Requirement 50.

import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, test } from 'node:test'
import { lacking } from '../../../test/support/requires.ts'
import { appRoot } from './layout.ts'
import { frugalMemory, runtimeOptions, youngMegabytes } from './programs.ts'
import { runTool } from './tools.ts'

const program = '/usr/lib/portcullis/'
/**
 * Engines are children of applyd: what one of them needs, its sandbox has to leave (network, ports, other accounts, their
 * files, namespaces of trials). Each gives up what it does not need itself, see applyd/units.ts.
 */
const limits = { 'portcullis-gatewayd.service': 1.5, 'portcullis-applyd.service': 3.6 }

test('L6: no unit has a password in its environment or prints it to the journal', () => {
  for (const name of Object.keys(limits)) {
    const text = readFileSync(join(appRoot, 'deploy/systemd', name), 'utf8')
    assert.doesNotMatch(text, /^Environment=PORTCULLIS_(?:ADMIN_PASSWORD|NOTIFY_FD)/m)
  }
})

test('units save memory by the same options as the launcher', () => {
  for (const name of Object.keys(limits)) {
    const text = readFileSync(join(appRoot, 'deploy/systemd', name), 'utf8')
    const options = runtimeOptions(name.includes('gatewayd') ? youngMegabytes.gatewayd : youngMegabytes.others)
    assert.ok(text.includes(` ${options.join(' ')} server/`), name)
    const variables = Object.entries(frugalMemory).map(([variable, value]) => `${variable}=${value}`)
    assert.ok(text.includes(`\nEnvironment=${variables.join(' ')}\n`), name)
  }
})

test('a service that ends is started again however often it ended before', () => {
  for (const name of Object.keys(limits)) {
    const text = readFileSync(join(appRoot, 'deploy/systemd', name), 'utf8')
    const [unit = '', service = ''] = text.split('[Service]')
    assert.match(unit, /^StartLimitIntervalSec=0$/m)
    assert.match(service, /^Restart=always$/m)
  }
})

test('only what answers is ready, and what hangs is started again', () => {
  for (const name of Object.keys(limits)) {
    const text = readFileSync(join(appRoot, 'deploy/systemd', name), 'utf8')
    assert.match(text, /^Type=notify$/m)
    assert.match(text, /^NotifyAccess=main$/m)
    assert.match(text, /^WatchdogSec=/m)
  }
})

test('every unit runs programs of the package, and every program of it that a unit runs is there', () => {
  const folder = join(appRoot, 'deploy/systemd')
  const lines = readdirSync(folder)
    .filter((name) => name.endsWith('.service'))
    .flatMap(
      (name) => readFileSync(join(folder, name), 'utf8').match(/^Exec(?:Start|StartPre|StartPost|Stop)=.*$/gm) ?? [],
    )
  assert.ok(lines.length > 0)
  for (const line of lines) {
    const [, ...words] = line.split(/[= ]-?/)
    assert.match(
      words[0] ?? '',
      /^\/usr\/lib\/portcullis\/(?:bin\/node|deploy\/[a-z-]+\.sh)$|^\/bin\/(?:true|sh)$|^\/usr\/bin\/sleep$/,
    )
    const own = words.filter((word) => word.startsWith(program) && word !== `${program}bin/node`)
    for (const path of own) assert.ok(existsSync(join(appRoot, path.slice(program.length))), path)
  }
})

test('the machine is closed before the first card, after every other firewall, and applyd and a stop leave it so', () => {
  const textOf = (name: string): string => readFileSync(join(appRoot, 'deploy/systemd', name), 'utf8')
  const boot = textOf('portcullis-boot.service')
  assert.match(boot, /^Before=network-pre\.target /m)
  assert.match(boot, /^DefaultDependencies=no$/m)
  for (const other of ['nftables', 'ufw', 'firewalld', 'netfilter-persistent'])
    assert.ok(/^After=(.*)$/m.exec(boot)?.[1]?.split(' ').includes(`${other}.service`), other)
  assert.doesNotMatch(boot, /^PartOf=/m)
  assert.match(boot, /^ExecStop=\/usr\/lib\/portcullis\/deploy\/stop-forwarding\.sh$/m)
  assert.match(textOf('portcullis-applyd.service'), /^ExecStartPost=-\/usr\/lib\/portcullis\/deploy\/close\.sh ssh$/m)
  assert.match(textOf('portcullis-applyd.service'), /^ExecStartPre=-\/usr\/lib\/portcullis\/deploy\/close\.sh$/m)
})

test('no sandbox names a path that another account could replace by a link, which systemd would follow', () => {
  const folder = join(appRoot, 'deploy/systemd')
  const textOf = (name: string): string => readFileSync(join(folder, name), 'utf8')
  const made = textOf('portcullis.tmpfiles.conf').matchAll(/^d (\S+) +(\d{4}) (\S+) +(\S+) /gm)
  const folders = new Map([...made].map(([, path = '', mode = '', owner, group]) => [path, { mode, owner, group }]))
  const isOfRoot = (path: string): boolean => {
    const known = folders.get(path)
    return known?.owner === 'root' && (Number.parseInt(known.mode, 8) & 0o022) === 0
  }
  const named = readdirSync(folder)
    .filter((name) => name.endsWith('.service'))
    .flatMap((name) => [...textOf(name).matchAll(/^(?:[A-Za-z]+Paths|TemporaryFileSystem|RootDirectory)=(.*)$/gm)])
    .flatMap(([, paths = '']) => paths.split(' ').map((path) => path.replace(/^[-+]+/, '').split(':')[0] ?? ''))
    .filter((path) => path.startsWith('/var/lib/portcullis/'))
  assert.ok(named.includes('/var/lib/portcullis/gateway'))
  for (const path of named)
    for (let above = dirname(path); above !== '/var/lib'; above = dirname(above))
      assert.ok(isOfRoot(above), `${path}: others can write in ${above}`)
})

test('a stop reaches everything that runs, and nothing runs before the target', () => {
  for (const name of ['portcullis-applyd.service', 'portcullis-gatewayd.service', 'portcullis-gatewayd.socket']) {
    const text = readFileSync(join(appRoot, 'deploy/systemd', name), 'utf8')
    assert.match(text, /^PartOf=portcullis\.target$/m)
    assert.match(text, /^After=portcullis\.target$/m)
  }
})

describe('the exposure of the services', {
  skip: lacking('/usr/bin/systemd-analyze'),
}, () => {
  for (const [name, limit] of Object.entries(limits))
    test(`${name} is at most ${limit}`, () => {
      const report = runTool('systemd-analyze', ['security', '--offline=true', join(appRoot, 'deploy/systemd', name)])
      const score = Number(/Overall exposure level for .*: ([\d.]+)/.exec(report)?.[1])
      assert.ok(score <= limit, `the exposure is ${score}`)
    })
})

// The DNS server's entry in the tables: what a plan may write into its files, what is checked, and how it is reloaded.
// Requirement 52.

import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { productionTables } from '../../../applyd/production.ts'
import { faultsIn } from '../../kit/forms.ts'
import { type Command, findUnit } from '../../kit/tables.ts'
import { checkOf, reloadOf } from './files.ts'
import { dnsEngine } from './index.ts'
import { cacheMegabytes } from './settings.ts'

const unit = findUnit(productionTables('/state', null, 'none'), 'dns') ?? assert.fail()
const folder = mkdtempSync(join(tmpdir(), 'portcullis-dns-'))
after(() => rmSync(folder, { recursive: true }))

const zone = (name: string, id: string): string =>
  `auth-zone:\n  name: "${name}"\n  zonefile: "zones/${id}"\n  for-downstream: no\n  for-upstream: yes\n  fallback-enabled: no\n`
const forward = (name: string, address: string): string =>
  `forward-zone:\n  name: "${name}"\n  forward-addr: ${address}\n`
const policy = 'rpz:\n  name: "policy.rpz."\n  zonefile: "policy.zone"\n'
const configuration = [
  'server:\n  val-permissive-mode: no\n',
  forward('corp.', '10.0.0.1'),
  zone('a.b.', 'a'),
  policy,
].join('\n')

test('the lines that a plan needs are allowed, and no other', () => {
  assert.deepEqual(faultsIn(unit, 'unbound.conf', configuration), [])
  for (const line of [
    'include: "/etc/shadow"',
    '  include: "/etc/shadow"',
    'python:',
    'remote-control:',
    '  username: "root"',
    '  chroot: "/"',
    '  zonefile: "/etc/shadow"',
    '  zonefile: "zones/../../../etc/shadow"',
    '  zonefile: "zones/a" # x',
    '  name: "a" b"',
    '  access-control: 0.0.0.0/0 allow_snoop',
    '  forward-addr: 10.0.0.1@853#x',
    '  auto-trust-anchor-file: "/etc/cron.d/x"',
    '  interface: 1.2.3.4',
  ])
    assert.equal(faultsIn(unit, 'unbound.conf', `server:\n${line}\n`).length, 1, line)
  assert.deepEqual(faultsIn(unit, 'unbound-zone.a', 'a.b. 300 IN A 10.0.0.1\n*.a.b. 300 IN TXT "$INCLUDE; ("\n'), [])
  for (const line of ['$INCLUDE /etc/shadow', ' 300 IN A 1.2.3.4', 'a.b. IN A 1.2.3.4', '$ORIGIN x.'])
    assert.equal(faultsIn(unit, 'unbound-zone.a', `${line}\n`).length, 1, line)
})

const control = (...words: string[]): Command => ({ program: 'control', args: words })
function reloadFor(changed: readonly string[] | null, before: string | null, now = configuration): string | string[] {
  const way = reloadOf(changed, () => before, now, control)
  if (way === 'restart' || !('commands' in way)) return 'restart'
  return way.commands.map(({ args }) => args.join(' '))
}

test('a changed zone is read again and dropped from the cache; nothing else is touched', () => {
  assert.deepEqual(reloadFor(['unbound-zone.a'], null), ['auth_zone_reload a.b.', 'flush_zone a.b.'])
  assert.deepEqual(reloadFor(['unbound-policy.zone'], null), ['auth_zone_reload policy.rpz.'])
})

test('another configuration keeps the cache, except for the zones that were added, removed or moved', () => {
  const keep = 'reload_keep_cache'
  assert.deepEqual(reloadFor(['unbound.conf'], configuration), [keep])
  assert.deepEqual(reloadFor(['unbound.conf'], configuration.replace('10.0.0.1', '10.0.0.2')), [
    keep,
    'flush_zone corp.',
  ])
  assert.deepEqual(reloadFor(['unbound.conf'], policy), [keep, 'flush_zone corp.', 'flush_zone a.b.'])
  assert.deepEqual(reloadFor(['unbound.conf', 'unbound-zone.a'], configuration, policy), [
    keep,
    'flush_zone corp.',
    'flush_zone a.b.',
  ])
  assert.deepEqual(reloadFor(['unbound.conf', 'unbound-zone.a'], configuration), [keep, 'flush_zone a.b.'])
  assert.deepEqual(
    reloadFor(['unbound.conf'], configuration + forward('.', '192.0.2.1')),
    [keep],
    'not the whole cache',
  )
})

test('when it is unknown what changed, or too many files did, it starts again', () => {
  assert.equal(reloadFor(null, null), 'restart')
  assert.deepEqual(reloadFor(['unbound.conf'], null), ['reload'])
  const many = Array.from({ length: 60 }, (_, at) => zone(`z${at}.`, `z${at}`))
  assert.deepEqual(reloadFor(['unbound.conf'], configuration, configuration + many.join('')), ['reload'])
  const files = many.map((_, at) => `unbound-zone.z${at}`)
  assert.deepEqual(reloadFor(files, null, many.join('')), ['reload'])
})

test('the checker reads staged zones where there are any', () => {
  const settingsPath = join(folder, 'unbound.conf')
  const places = { settingsPath, zones: join(folder, 'zones'), policyPath: join(folder, 'policy.zone') }
  const check = (staged: Record<string, string>): string => {
    const { args } = checkOf(new Map(Object.entries(staged)), folder, places)
    return readFileSync(args[0] ?? '', 'utf8')
  }
  const stagedConfiguration = join(folder, 'staged.conf')
  writeFileSync(stagedConfiguration, configuration + zone('new.', 'b'))
  const whole = check({ 'unbound.conf': stagedConfiguration, 'unbound-zone.b': '/staging/b' })
  assert.match(whole, /zonefile: "\/staging\/b"/)
  assert.ok(whole.includes(`zonefile: "${folder}/zones/a"`) && whole.includes(`zonefile: "${folder}/policy.zone"`))
  writeFileSync(join(folder, 'unbound.conf'), configuration)
  const part = check({ 'unbound-zone.a': '/staging/a' })
  assert.match(part, /name: "a\.b\."\n {2}zonefile: "\/staging\/a"/)
  assert.doesNotMatch(part, /corp|rpz\./, 'the rest was checked when it came')
})

test('only its own account, the machine and the plane decide what is at the end of the file', () => {
  const account = { uid: 65_534, gid: 65_534 }
  const endingFor = (plane: 'lab' | 'host', hasAccounts: boolean): string =>
    dnsEngine.setUp({ stateDir: folder, plane, service: hasAccounts ? account : null, accountOf: () => undefined })
      .endings?.['unbound.conf'] ?? ''
  assert.match(endingFor('host', true), /username: "unbound"/)
  assert.match(endingFor('host', false), /username: ""/)
  assert.doesNotMatch(endingFor('lab', true), /trust-anchor/)
  assert.deepEqual([2 ** 20, 2 ** 31, 2 ** 40].map(cacheMegabytes), [8, 32, 256])
})

// The local additions to profiles of AppArmor: that they are put in place and taken away again, that AppArmor's own parser takes
// them, and that they allow every path that an engine needs. Whether a kernel enforces them so cannot be seen here.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { antivirus, antivirusPaths } from '../../engines/antivirus/index.ts'
import { dhcp, leasesPath } from '../../engines/dhcp/index.ts'
import { dns } from '../../engines/dns/index.ts'
import { webFilter, webFilterPaths } from '../../engines/web-filter/index.ts'
import { ownApp } from '../../shared/files/plain.ts'
import { additionMark, engineProfiles, readProfiles } from './apparmor.ts'

const state = '/var/lib/portcullis'
const parser = '/usr/sbin/apparmor_parser'
const system = '/etc/apparmor.d'

function inRoot<T>(work: (root: string, run: (...args: string[]) => ReturnType<typeof spawnSync>) => T): T {
  const root = mkdtempSync(join(tmpdir(), 'apparmor-'))
  const run = (...args: string[]) =>
    spawnSync('/bin/sh', [join(ownApp, 'deploy/debian/apparmor.sh'), ...args], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH, PORTCULLIS_ROOT: root },
    })
  try {
    return work(root, run)
  } finally {
    rmSync(root, { recursive: true })
  }
}

test('there is an addition for every profile that confines an engine, and no other', () => {
  assert.deepEqual(
    readdirSync(join(ownApp, 'deploy/apparmor')).toSorted(),
    engineProfiles.map(({ name }) => name).toSorted(),
  )
})

test('additions are put in place any number of times and taken away again, and other lines stay', () =>
  inRoot((root, run) => {
    const local = join(root, system, 'local')
    mkdirSync(local, { recursive: true })
    const file = join(local, 'usr.sbin.unbound')
    writeFileSync(file, '# of the administrator\n/srv/zones/** r,\n')
    for (let time = 1; time <= 2; time++) assert.equal(run('add').status, 0)
    assert.equal(run('add', '/srv/other').status, 0)
    const lines = readFileSync(file, 'utf8').split('\n')
    const added = (path: string): string => (path.startsWith(system) ? readFileSync(join(root, path), 'utf8') : '')
    assert.deepEqual(lines.slice(0, 3), ['# of the administrator', '/srv/zones/** r,', additionMark(state)])
    assert.equal(lines.filter((line) => line === additionMark(state)).length, 1)
    assert.ok(lines.includes('  /srv/other/unbound/** r,'))
    assert.ok(readProfiles('/srv/other', added).every(({ hasAddition }) => hasAddition))
    assert.equal(run('remove', '/srv/other').status, 0)
    assert.equal(run('remove').status, 0)
    assert.equal(readFileSync(file, 'utf8'), '# of the administrator\n/srv/zones/** r,\n')
    assert.equal(readFileSync(join(local, 'usr.sbin.squid'), 'utf8'), '')
    assert.deepEqual(readdirSync(local).toSorted(), engineProfiles.map(({ name }) => name).toSorted())
  }))

test('a path that could become syntax of a profile is refused', () =>
  inRoot((root, run) => {
    for (const path of [
      '/srv/a b',
      '/srv/*',
      '/srv/{a,b}',
      'srv',
      '/',
      '/srv/../etc',
      '/srv/"x"',
      '/srv/x\n/etc/** rw,',
    ])
      assert.equal(run('add', path).status, 2, path)
    assert.equal(run('other').status, 2)
    assert.equal(existsSync(join(root, 'etc')), false)
  }))

/** The rules of an addition: paths with what they allow. */
function rulesOf(name: string): { readonly path: string; readonly allowed: string }[] {
  const text = readFileSync(join(ownApp, 'deploy/apparmor', name), 'utf8')
  return text
    .replaceAll('@STATE@', state)
    .replaceAll('@APP@', ownApp)
    .split('\n')
    .filter((line) => /^\s*\//.test(line))
    .map((line) => {
      const [path = '', allowed = ''] = line.trim().replace(/,$/, '').split(' ')
      return { path, allowed }
    })
}

/** Whether a path is that of a rule: `**` at the end stands for everything below. */
const fits = (rule: string, path: string): boolean =>
  rule.endsWith('/**') ? path.startsWith(rule.slice(0, -2)) && path.length > rule.length - 2 : rule === path

const below = (path: string): string => join(state, path)
const reads = (paths: readonly string[]) => paths.map((path) => [below(path), 'r'] as const)
const filesOf = (engine: { readonly files: Readonly<Record<string, { readonly path: string }>> }, ...names: string[]) =>
  reads(names.map((name) => engine.files[name]?.path ?? assert.fail(name)))

const needed: Readonly<Record<string, readonly (readonly [path: string, allowed: string])[]>> = {
  'usr.sbin.unbound': [
    ...filesOf(dns, ...Object.keys(dns.files)),
    ...reads(Object.values(dns.fileTemplates).map(({ folder }) => `${folder}/7`)),
    ...reads(dns.folders.map(({ path }) => `${path}/any`)),
    [below('unbound/control.sock'), 'rw'],
    ...Object.keys(dns.units).map((unit) => [below(`log/${unit}.log`), 'w'] as const),
  ],
  'usr.sbin.dnsmasq': [
    ...filesOf(dhcp, ...Object.keys(dhcp.files)),
    [below(leasesPath), 'rw'],
    ...Object.keys(dhcp.units).map((unit) => [below(`log/${unit}.log`), 'w'] as const),
  ],
  'usr.sbin.clamd': [
    ...filesOf(antivirus, ...Object.keys(antivirus.files)),
    [below(antivirusPaths.socket), 'rw'],
    [below(`${antivirusPaths.signatures}/own.ndb`), 'r'],
    [below('antivirus/database/main.cvd'), 'r'],
    [below('antivirus/unpacked/clamav-1.tmp'), 'rw'],
    ...Object.keys(antivirus.units).map((unit) => [below(`log/${unit}.log`), 'w'] as const),
  ],
  'usr.sbin.squid': [
    ...filesOf(webFilter, 'squid.conf', 'web-authority.pem'),
    ...reads(['web-proxy/errors/ERR_DNS_FAIL', 'applyd/staging/check-squid.conf']),
    [below('web-proxy/kept/ssl_db/index.txt'), 'rw'],
    [below(webFilterPaths.accessLog), 'w'],
    [below('log/web-filter-proxy.log'), 'w'],
    [below(webFilterPaths.askSocket), 'rw'],
    [join(ownApp, 'server/src/filterd/helper.pl'), 'r'],
    ['/usr/bin/perl', 'ix'],
    ['/usr/bin/setpriv', 'ix'],
  ],
}

for (const [name, paths] of Object.entries(needed))
  test(`the addition to ${name} allows what the engine declares`, () => {
    const rules = rulesOf(name)
    for (const [path, wanted] of paths) {
      const allowed = rules.filter((rule) => fits(rule.path, path)).map((rule) => rule.allowed)
      assert.ok(
        [...wanted].every((one) => allowed.some((all) => all.includes(one))),
        `${path} ${wanted}`,
      )
    }
    // Neither records of applyd nor the configuration may be written.
    const isWritten = (path: string) => rules.some((rule) => fits(rule.path, path) && /[wal]/.test(rule.allowed))
    for (const path of ['applyd/units.json', 'gateway/gateway.db', 'unbound/unbound.conf', 'web-proxy/squid.conf'])
      assert.equal(isWritten(below(path)), false, path)
  })

const missing = !existsSync(parser)
  ? 'apparmor_parser is not installed'
  : !existsSync(join(system, 'abstractions/perl')) && 'the abstractions of AppArmor are not installed'

for (const { name, program } of engineProfiles)
  test(`the parser of AppArmor takes the addition to ${name}`, { skip: missing }, () =>
    inRoot((root, run) => {
      assert.equal(run('add').status, 0)
      const own = join(root, system)
      const plain = `#include <tunables/global>\nprofile x ${program} {\n#include <abstractions/base>\n#include <local/${name}>\n}\n`
      // The profile of the package, where it is installed.
      const text = existsSync(join(system, name)) ? readFileSync(join(system, name), 'utf8') : plain
      writeFileSync(join(own, name), text)
      const args = ['-Q', '-K', '-T', '-I', own, '-I', system, '--base', own]
      const parse = () => spawnSync(parser, [...args, join(own, name)], { encoding: 'utf8' })
      const { status, stderr } = parse()
      assert.equal(status, 0, stderr)
      writeFileSync(join(own, 'local', name), '  /srv/** nonsense,\n')
      assert.notEqual(parse().status, 0)
    }),
  )

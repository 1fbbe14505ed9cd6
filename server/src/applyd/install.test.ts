// Engines whose packages are installed when they are first switched on: an apply does not wait, the observation shows what
// happens, and what was switched off in the meantime is not started. The test decides when an installation ends, and how.

import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { it } from 'node:test'
import { until } from '../../test/support/until.ts'
import { engines } from '../engines/index.ts'
import { ownApp } from '../shared/files/plain.ts'
import { createInstaller, describeInstallation, installationOf } from './install.ts'
import { createScenarios, file, nft, piecesOf, planOf, type Scene, unit } from './stand-ins/harness.ts'

const { scenario, run } = createScenarios('packages of engines')

const plan = (revision: number, text = 'well') =>
  planOf(revision, nft(piecesOf('a')), file('stand.conf', `${text}\n`), unit('stand'))
const withoutUnit = (revision: number) => planOf(revision, nft(piecesOf('a')))

const script = 'read answer < "$0"; if [ "$answer" = well ]; then : > "$1"; else echo "E: $answer"; exit 1; fi'

/** Ends the installation that runs, or the next one: `well`, or what it complains about. */
async function startMissing(scene: Scene) {
  const [pipe, program] = [scene.bench.path('answers'), scene.bench.path('stand-in-program')]
  execFileSync('/usr/bin/mkfifo', [pipe])
  const installation = {
    packages: [{ name: 'stand-in', file: 'stand-in-program', folders: [dirname(program)], purpose: 'a test' }],
    command: ['/bin/sh', '-c', script, pipe, program],
  }
  await scene.start({ tables: scene.bench.tables({ isOptional: true, installation }) })
  return { installation, program, finish: (answer: string) => writeFile(pipe, `${answer}\n`) }
}

const stateNow = async (scene: Scene) => (await scene.unitNow())?.state

scenario('are installed first, while everything else goes on', async (scene) => {
  const { finish } = await startMissing(scene)
  assert.equal((await scene.apply(plan(1))).status, 'applied')
  assert.equal(await stateNow(scene), 'activating')
  assert.equal((await scene.unitNow())?.message, 'Installing the Debian package stand-in.')
  assert.equal((await scene.apply(plan(2, 'well again'))).status, 'applied')
  await finish('well')
  await until('it runs', async () => (await stateNow(scene)) === 'active')
  assert.equal((await scene.unitNow())?.message, '')
})

scenario('that cannot be installed are reported and tried again', async (scene) => {
  const { finish } = await startMissing(scene)
  await scene.apply(plan(1))
  await finish('Unable to locate package')
  // Soon after that it is installing again, so its state may not be seen.
  const fault = /could not be installed\. E: Unable to locate/
  await until('it failed', () => scene.bench.log.some((line) => fault.test(line)))
  await finish('well')
  await until('it runs', async () => (await stateNow(scene)) === 'active')
})

scenario('of an engine that was switched off meanwhile do not start it', async (scene) => {
  const { finish, program } = await startMissing(scene)
  await scene.apply(plan(1))
  assert.equal((await scene.apply(withoutUnit(2))).status, 'applied')
  assert.equal(await stateNow(scene), 'inactive')
  await finish('well')
  await until('it is installed', () => existsSync(program))
  assert.equal(await stateNow(scene), 'inactive')
  assert.equal(scene.unitLog(), '')
})

run()

it('a package is installed once for all who wait for it', async () => {
  const started: string[] = []
  const install = createInstaller()
  const installation = { packages: [], command: ['/usr/bin/true'] }
  const [one, other] = [install(installation), install(installation)]
  assert.equal(one, other)
  await one.then(() => started.push('done'))
  assert.deepEqual(started, ['done'])
})

it('no package is installed where applyd must not', () => {
  assert.deepEqual(installationOf('snmp', { plane: 'none', service: { uid: 1, gid: 1 } }), { command: null })
  assert.deepEqual(installationOf('snmp', { plane: 'lab', service: null }), { command: null })
  const packages = [{ name: 'x', file: 'x', folders: ['/nonexistent'], purpose: '' }]
  assert.equal(describeInstallation({ packages, command: null }), null)
  assert.equal(describeInstallation({ packages, command: ['x'] }), 'Debian package x')
})

it('on a host with our units one of them installs, and its words are read where it writes them', () => {
  const place = { plane: 'host', service: { uid: 1, gid: 1 } } as const
  const { command, words } = installationOf('snmp', place, '/usr/lib/portcullis')
  const unit = readFileSync(join(ownApp, 'deploy/systemd/portcullis-install@.service'), 'utf8')
  assert.match(unit, /^StandardOutput=truncate:\/var\/lib\/portcullis\/applyd\/install-%i\.log$/m)
  assert.match(
    unit,
    /^ExecStart=\/usr\/lib\/portcullis\/bin\/node \/usr\/lib\/portcullis\/scripts\/install-engine\.mjs %i$/m,
  )
  const hasSystemd = existsSync('/run/systemd/system') && process.geteuid?.() === 0 && existsSync('/usr/bin/apt-get')
  const started = ['/usr/bin/systemctl', 'start', '--quiet', 'portcullis-install@snmp.service']
  if (hasSystemd) assert.deepEqual([command, words], [started, '/var/lib/portcullis/applyd/install-snmp.log'])
  else assert.notDeepEqual(command, started)
})

it('what another process said is the reason of a failure', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-install-'))
  try {
    writeFileSync(join(folder, 'words'), 'Installing x\nE: Unable to fetch x\n\n')
    const installation = { packages: [], command: ['/usr/bin/false'], words: join(folder, 'words') }
    await assert.rejects(createInstaller()(installation), /^Error: E: Unable to fetch x$/)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

it('the installer takes names of engines only, and installs nothing that is there', () => {
  const installer = (service: string) =>
    spawnSync(process.execPath, [join(ownApp, 'scripts', 'install-engine.mjs'), service], { encoding: 'utf8' })
  for (const name of ['', 'openssh-server', '../engines', 'dns'])
    assert.match(installer(name).stderr, /There is no engine/, name)
  const known = engines.filter(({ packages }) => packages.use.length > 0)
  assert.ok(known.length > 0)
  for (const { service } of known) assert.equal(installer(service).status, 0, service)
})

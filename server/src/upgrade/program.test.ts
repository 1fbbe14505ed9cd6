// An upgrade by its phases, on a machine that only plays dpkg and systemd: what is in place at the end, whatever failed on the way.

import assert from 'node:assert/strict'
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { makeKey, packageOf } from '../../test/support/update-packages.ts'
import { withFile } from '../shared/files/durable.ts'
import { type CheckedPackage, checkOpenPackage } from '../shared/files/signed-package.ts'
import { say } from '../shared/said.ts'
import { recordedFormat } from './judge.ts'
import { controlOf, isInstalled, keepProgram } from './keep.ts'
import { type Ended, type Machine, thisMachine } from './machine.ts'
import { type UpgradePlaces, upgradePlaces } from './places.ts'
import { runUpgrade } from './program.ts'
import { readStatus } from './record.ts'
import { programPath, readRequest, takePackage, type UpgradeRequest, writeRequest } from './take.ts'
import { findKept, takeUndo } from './undo.ts'

const signer = makeKey()
const keys = signer.keys
const times = { limitMs: 40, stepMs: 10, looks: 2, mostRestarts: 20 }
const good: Ended = { code: 0, output: '' }

/** Versions that do not start; packages that dpkg refuses. */
class PlayedMachine implements Machine {
  readonly commands: string[] = []
  readonly broken = new Set<string>()
  readonly refused = new Set<string>()
  readonly places: UpgradePlaces
  version = '0.1.0'
  built = 1_794_700_800
  isRunning = true
  pid = 100
  /** What control files say about the time of their build; null: the truth. */
  claims: number | null = null
  /** What the new version does to the state when it starts. */
  onStart = (): void => {}

  constructor(places: UpgradePlaces) {
    this.places = places
  }

  async run(command: readonly [string, ...string[]]): Promise<Ended> {
    const [program, ...args] = command
    this.commands.push(command.join(' '))
    if (program === 'cp' || program === 'sync') return thisMachine.run(command)
    if (program === 'dpkg-deb') return this.#describe(args)
    if (program === 'dpkg' && args.includes('-i')) return this.#install(args.at(-1) ?? '')
    if (program === 'dpkg-query') return { code: 0, output: `Package: portcullis\n${this.#words()}` }
    if (program === 'systemctl') return this.#control(args)
    return good
  }

  answers = async (): Promise<boolean> => this.isRunning
  pause = async (): Promise<void> => {}
  log = (): void => {}

  #words(): string {
    return `Status: install ok installed\nVersion: ${this.version}\nPortcullis-Built: ${this.built}\n`
  }

  #about(path: string): CheckedPackage {
    return withFile(path, 0, (file) => checkOpenPackage(file, keys))
  }

  #describe([, path = '', field = '']: string[]): Ended {
    const { version, timestamp } = this.#about(path)
    const values: Record<string, string> = {
      Package: 'portcullis',
      Architecture: 'arm64',
      'Installed-Size': '1',
      Version: version,
      'Portcullis-Built': String(this.claims ?? timestamp),
    }
    return { code: 0, output: values[field] ?? '' }
  }

  #install(path: string): Ended {
    const { version, timestamp } = this.#about(path)
    if (this.refused.has(version)) return { code: 1, output: 'dpkg: error processing package portcullis' }
    this.version = version
    this.built = timestamp
    return good
  }

  #control(args: readonly string[]): Ended {
    if (args[0] === 'stop') this.isRunning = false
    if (args[0] === 'start') this.#start()
    if (args[0] !== 'show') return good
    if (args.includes('Listen')) return { code: 0, output: '0.0.0.0:8443 (Stream)\n' }
    const state = this.isRunning ? 'active' : 'activating'
    return { code: 0, output: `ActiveState=${state}\nMainPID=${this.isRunning ? this.pid : 0}\nNRestarts=0\n` }
  }

  #start(): void {
    this.onStart()
    if (this.isRunning || this.broken.has(this.version)) return
    this.isRunning = true
    this.pid += 1
    this.report()
  }

  report(): void {
    const report = { pid: this.pid, version: this.version, revision: 7, is_applied: true }
    writeFileSync(join(this.places.incoming, 'running.json'), JSON.stringify(report))
  }
}

describe('an upgrade', () => {
  let state: string
  let places: UpgradePlaces
  let machine: PlayedMachine
  beforeEach(async () => {
    state = mkdtempSync(join(tmpdir(), 'portcullis-upgrade-'))
    places = upgradePlaces(state)
    for (const folder of ['upgrade', 'run', 'gateway', 'applyd']) mkdirSync(join(state, folder))
    mkdirSync(places.root)
    machine = new PlayedMachine(places)
    machine.report()
    writeFileSync(join(state, 'gateway', 'gateway.db'), 'configuration')
    writeFileSync(join(state, 'gateway', 'logs.db'), 'log')
    // What gatewayd says about its state counts nowhere.
    writeFileSync(join(state, 'gateway', 'format'), '999999999\n')
    writeFileSync(join(state, 'applyd', 'format'), '3\n')
    writeFileSync(join(state, 'applyd', 'record.json'), 'record')
    // The package that the installed version came from.
    writeFileSync(join(places.root, 'installed.deb'), packageOf(signer.secret, { version: '0.1.0' }))
  })
  afterEach(() => rmSync(state, { recursive: true }))

  async function asked(about: object = {}): Promise<UpgradeRequest> {
    const path = join(state, 'offered')
    writeFileSync(path, packageOf(signer.secret, about))
    const installed = { version: '0.1.0', architecture: 'arm64', built: 1_794_700_800, format: 3 }
    const file = openSync(path, 'r')
    try {
      return await takePackage(places, { file, by: 'root', keys, installed })
    } finally {
      closeSync(file)
    }
  }
  const run = (request: UpgradeRequest) => runUpgrade({ machine, places, keys, times, keepOwn: () => {} }, request)
  const stored = (name: string): string => readFileSync(join(state, name), 'utf8')
  /** The new version changes everything that it finds. */
  const spoil = (): void => {
    if (machine.version === '0.1.0') return
    writeFileSync(join(state, 'gateway', 'gateway.db'), 'of the new version')
    writeFileSync(join(state, 'gateway', 'new-file'), 'x')
    writeFileSync(join(state, 'applyd', 'record.json'), 'of the new version')
  }

  it('ends with the new version, and keeps its package for the next time', async () => {
    const ended = await run(await asked())
    assert.deepEqual([ended.state, ended.from, ended.to, machine.version], ['done', '0.1.0', '0.2.0', '0.2.0'])
    assert.equal(machine.isRunning, true)
    assert.equal(readRequest(places), null)
    assert.equal(readStatus(places.status)?.message, 'The gateway was upgraded from 0.1.0 to 0.2.0.')
    const kept = withFile(join(places.root, 'installed.deb'), 0, (file) => checkOpenPackage(file, keys))
    assert.equal(kept.version, '0.2.0')
  })

  it('stops gatewayd before its state is copied, and applyd never', async () => {
    await run(await asked())
    const stops = machine.commands.filter((one) => one.startsWith('systemctl stop'))
    assert.deepEqual(stops, ['systemctl stop portcullis-gatewayd.socket portcullis-gatewayd.service'])
    const copied = machine.commands.findIndex((one) => one.startsWith('cp '))
    assert.ok(machine.commands.indexOf(stops[0] ?? '') < copied)
    assert.ok(copied < machine.commands.findIndex((one) => one.startsWith('dpkg --force-confold -i')))
  })

  it('copies logs only for a version with another state format', async () => {
    await run(await asked())
    assert.equal(existsSync(join(places.root, 'state/gateway/logs.db')), false)
    machine.version = '0.1.0'
    writeFileSync(join(places.root, 'installed.deb'), packageOf(signer.secret, { version: '0.1.0' }))
    await run(await asked({ format: 4 }))
    assert.equal(readFileSync(join(places.root, 'state/gateway/logs.db'), 'utf8'), 'log')
  })

  it('returns to the old version and its state when the new one does not start', async () => {
    machine.broken.add('0.2.0')
    machine.onStart = spoil
    const ended = await run(await asked())
    assert.equal(ended.state, 'returned')
    assert.match(
      ended.message,
      /^Version 0\.2\.0 was taken back, and 0\.1\.0 is in use again\. The new version did not come up/,
    )
    assert.deepEqual([machine.version, machine.isRunning], ['0.1.0', true])
    assert.deepEqual([stored('gateway/gateway.db'), stored('applyd/record.json')], ['configuration', 'record'])
    assert.equal(existsSync(join(state, 'gateway', 'new-file')), false)
    assert.equal(stored('gateway/logs.db'), 'log')
    assert.equal(readRequest(places), null)
  })

  it('returns when dpkg refuses the new version', async () => {
    machine.refused.add('0.2.0')
    const ended = await run(await asked())
    assert.equal(ended.state, 'returned')
    assert.match(ended.message, /dpkg could not install version 0\.2\.0: dpkg: error/)
    assert.deepEqual([machine.version, machine.isRunning], ['0.1.0', true])
  })

  it('says so when neither version comes up', async () => {
    for (const version of ['0.1.0', '0.2.0']) machine.broken.add(version)
    const ended = await run(await asked())
    assert.equal(ended.state, 'failed')
    assert.match(ended.message, /^Neither 0\.2\.0 nor 0\.1\.0 came up/)
  })

  it('changes nothing when the package is not the one that was asked for, or cannot read the state', async () => {
    const request = await asked()
    writeFileSync(join(places.root, 'package.deb'), packageOf(signer.secret, { version: '0.9.0' }))
    const ended = await run(request)
    assert.deepEqual([ended.state, machine.version, machine.isRunning], ['failed', '0.1.0', true])
    assert.equal(ended.message, 'Version 0.2.0 was not installed. The package is not the one that was asked for.')
    writeFileSync(join(state, 'applyd', 'format'), '9\n')
    assert.match((await run(await asked())).message, /It cannot read the stored configuration/)
    assert.equal(machine.version, '0.1.0')
  })

  it('goes on after a power failure with the phase that was reached', async () => {
    const request = await asked()
    const early = await run({ ...request, attempts: 1 })
    assert.equal(early.message, 'Version 0.2.0 was not installed. It was interrupted before anything was changed.')

    const cut = await asked()
    await stopAt(cut, 'installing')
    machine.commands.length = 0
    const late = await run({ ...(readRequest(places) as UpgradeRequest) })
    assert.deepEqual([late.state, machine.version], ['done', '0.2.0'])
    assert.ok(machine.commands.includes('dpkg --force-confold --configure -a'))
  })

  it('starts the API again when it was interrupted after it had stopped it', async () => {
    const request = await asked()
    machine.isRunning = false
    const ended = await run({ ...request, attempts: 1 })
    assert.deepEqual([ended.state, machine.version, machine.isRunning], ['failed', '0.1.0', true])
  })

  it('leaves no copies on a disk that they have filled', async () => {
    const { run: perform } = machine
    machine.run = async (command) =>
      command[0] === 'cp' ? { code: 1, output: 'No space left on device' } : perform.call(machine, command)
    const ended = await run(await asked())
    assert.match(ended.message, /The state could not be copied: No space left on device/)
    assert.deepEqual([machine.version, machine.isRunning], ['0.1.0', true])
    assert.deepEqual(readdirSync(places.root), ['installed.deb'])
  })

  it('starts what is there when neither package can be installed', async () => {
    for (const version of ['0.1.0', '0.2.0']) machine.refused.add(version)
    const ended = await run(await asked())
    assert.deepEqual([ended.state, machine.isRunning], ['failed', true])
    assert.match(ended.message, /After the return: dpkg could not install version 0\.1\.0/)
  })

  it('ends when it goes on after its last step', async () => {
    const request = await asked()
    await run(request)
    const again = await run({ ...request, phase: 'starting', attempts: 1 })
    assert.equal(again.state, 'done')
  })

  it('does not run a copy of the program that an earlier upgrade left', async () => {
    mkdirSync(join(places.root, 'program'))
    writeFileSync(join(places.root, 'program', 'complete'), '')
    await asked()
    assert.equal(existsSync(join(places.root, 'program')), false)
  })

  it('does not say that an upgrade runs when its request could not be stored', async () => {
    mkdirSync(join(places.root, 'request.json'))
    await assert.rejects(asked())
    assert.equal(readStatus(places.status), null)
  })

  it('returns again when the power failed while it returned', async () => {
    await stopAt(await asked(), 'installing')
    machine.version = '0.2.0'
    spoil()
    const request = {
      ...(readRequest(places) as UpgradeRequest),
      phase: 'returning',
      reason: say`It did not come up.`,
    } as const
    const ended = await run(request)
    assert.deepEqual(
      [ended.state, machine.version, stored('gateway/gateway.db')],
      ['returned', '0.1.0', 'configuration'],
    )
  })

  async function undone(): Promise<Awaited<ReturnType<typeof run>>> {
    const kept = await findKept(machine, places)
    assert.ok(kept)
    const format = recordedFormat(places.records)
    return run(takeUndo(places, kept, { version: machine.version, built: machine.built, format }))
  }

  it('is undone with the present configuration where the version before can read it, and undone again', async () => {
    assert.equal(await findKept(machine, places), null)
    await run(await asked())
    writeFileSync(join(state, 'gateway', 'gateway.db'), 'changed since')
    const ended = await undone()
    assert.deepEqual([ended.state, machine.version, machine.isRunning], ['done', '0.1.0', true])
    assert.equal(ended.message, 'The gateway went back from 0.2.0 to 0.1.0, with the present configuration.')
    assert.deepEqual([stored('gateway/gateway.db'), readRequest(places)], ['changed since', null])
    assert.equal((await undone()).message, 'The gateway went back from 0.1.0 to 0.2.0, with the present configuration.')
    assert.deepEqual([machine.version, stored('gateway/gateway.db')], ['0.2.0', 'changed since'])
  })

  it('takes the same build and a newer one of the same version, but an older one only by an undo', async () => {
    const [older, same, newer] = [1_794_700_799, 1_794_700_800, 1_794_700_801]
    const offer = (timestamp: number) => asked({ version: '0.1.0', timestamp })
    await assert.rejects(offer(older), /^Error: The package is an older build of version 0\.1\.0, /)
    assert.equal((await run(await offer(same))).state, 'done')
    await assert.rejects(undone(), /There is no other version to go back to than the installed 0\.1\.0/)
    assert.equal((await run(await offer(newer))).state, 'done')
    assert.equal(machine.built, newer)
    assert.equal((await undone()).state, 'done')
    assert.deepEqual([machine.version, machine.built], ['0.1.0', same])
  })

  it('keeps the build that is installed, not another one of the same version', async () => {
    const path = join(places.root, 'installed.deb')
    assert.equal(await isInstalled(machine, path, '0.1.0', keys), true)
    assert.equal(await isInstalled(machine, path, '0.2.0', keys), false)
    // Built again, and installed with dpkg.
    machine.built += 5
    assert.equal(await isInstalled(machine, path, '0.1.0', keys), false)
    assert.equal(await isInstalled(machine, join(places.root, 'missing.deb'), '0.1.0', keys), false)
  })

  it('changes nothing when the time of the build is not what the signature says', async () => {
    machine.claims = 1_794_799_999
    const ended = await run(await asked())
    assert.deepEqual([ended.state, machine.version], ['failed', '0.1.0'])
    assert.match(ended.message, /The package is not what its signature says \(Portcullis-Built\)/)
  })

  /** To a version with a newer state format. */
  async function upgradedFar(): Promise<void> {
    await run(await asked({ format: 4 }))
    // As the scripts of that version do.
    writeFileSync(join(state, 'applyd', 'format'), '4\n')
    for (const name of ['gateway.db', 'logs.db', 'new-file']) writeFileSync(join(state, 'gateway', name), 'newer form')
  }

  it('is undone with the kept state where the version before cannot read the present one', async () => {
    await upgradedFar()
    machine.commands.length = 0
    const ended = await undone()
    assert.deepEqual([ended.state, machine.version, machine.isRunning], ['done', '0.1.0', true])
    assert.match(
      ended.message,
      /^The gateway went back from 0\.2\.0 to 0\.1\.0, with the state of \d{4}-\d\d-\d\d \d\d:\d\d UTC\.$/,
    )
    assert.deepEqual(['gateway/gateway.db', 'gateway/logs.db', 'applyd/format'].map(stored), [
      'configuration',
      'log',
      '3\n',
    ])
    assert.equal(existsSync(join(state, 'gateway', 'new-file')), false)
    // Its state is there before dpkg asks whether it can be read, and neither daemon runs then.
    const stop = machine.commands.findIndex((one) => /^systemctl stop .*applyd/.test(one))
    const restored = machine.commands.findLastIndex((one) => one.startsWith('cp '))
    assert.ok(0 <= stop && stop < restored)
    assert.ok(restored < machine.commands.findIndex((one) => one.startsWith('dpkg --force-confold -i')))
    await undone()
    assert.deepEqual([machine.version, stored('gateway/gateway.db')], ['0.2.0', 'configuration'])
  })

  it('returns from an undo that does not come up, with the present state, and can try again', async () => {
    await upgradedFar()
    machine.broken.add('0.1.0')
    const ended = await undone()
    assert.equal(ended.state, 'returned')
    assert.match(
      ended.message,
      /^Version 0\.1\.0 was taken back, and 0\.2\.0 is in use again\. Version 0\.1\.0 did not come up/,
    )
    assert.deepEqual(
      [machine.version, stored('gateway/gateway.db'), stored('applyd/format')],
      ['0.2.0', 'newer form', '4\n'],
    )
    machine.broken.clear()
    assert.equal((await undone()).state, 'done')
    assert.deepEqual([machine.version, stored('gateway/gateway.db')], ['0.1.0', 'configuration'])
  })

  it('goes on with an undo after a power failure', async () => {
    await upgradedFar()
    const kept = await findKept(machine, places)
    assert.ok(kept)
    await stopAt(takeUndo(places, kept, { version: '0.2.0', built: null, format: 4 }), 'installing')
    assert.throws(
      () => takeUndo(places, kept, { version: '0.2.0', built: null, format: 4 }),
      /Another upgrade is running/,
    )
    const ended = await run(readRequest(places) as UpgradeRequest)
    assert.deepEqual([ended.state, machine.version, stored('gateway/gateway.db')], ['done', '0.1.0', 'configuration'])
  })

  it('leaves everything as it is when an undo cannot be prepared', async () => {
    await upgradedFar()
    const kept = await findKept(machine, places)
    assert.ok(kept)
    const request = takeUndo(places, kept, { version: '0.2.0', built: null, format: 4 })
    const ended = await run({ ...request, attempts: 1 })
    assert.deepEqual([ended.state, machine.version, stored('gateway/gateway.db')], ['failed', '0.2.0', 'newer form'])
    assert.equal((await undone()).state, 'done')
  })

  /** As if the power failed right after the phase was written down. */
  async function stopAt(request: UpgradeRequest, phase: UpgradeRequest['phase']): Promise<void> {
    const pause = new Error('power')
    const { run: perform } = machine
    machine.run = async (command) => {
      if (command[0] === 'dpkg' && command.includes('-i')) throw pause
      return perform.call(machine, command)
    }
    await assert.rejects(run(request), pause)
    machine.run = perform
    const left = readRequest(places)
    assert.equal(left?.phase, phase)
    writeRequest(places, left as UpgradeRequest)
  }
})

describe('the recorded format', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'portcullis-format-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  it('is the number in the file, and that of the first versions without one', () => {
    for (const [text, format] of [
      ['7\n', 7],
      ['12', 12],
      ['', 1],
      ['-3\n', 1],
      ['1e3\n', 1],
      ['9999999999\n', 1],
    ] as const) {
      writeFileSync(join(folder, 'format'), text)
      assert.equal(recordedFormat(folder), format, text)
    }
    assert.equal(recordedFormat(join(folder, 'missing')), 1)
  })
})

describe('the installed version', () => {
  it('is packed with what dpkg knows about it, without what dpkg added', () => {
    const status = [
      'Package: other\nStatus: install ok installed\nVersion: 1\n',
      'Package: portcullis\nStatus: install ok installed\nVersion: 0.1.0\nArchitecture: arm64\nDepends: x\n' +
        'Conffiles:\n /etc/portcullis/gatewayd.env 0123456789\nDescription: a gateway\n with a line\n',
      'Package: third\nVersion: 3\n',
    ].join('\n')
    assert.equal(
      controlOf(status),
      'Package: portcullis\nVersion: 0.1.0\nArchitecture: arm64\nDepends: x\nDescription: a gateway\n with a line\n',
    )
  })
})

describe('the copy of the program', () => {
  it('runs without the files that are being replaced', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'portcullis-copy-'))
    try {
      const own = programPath(upgradePlaces(folder))
      keepProgram(upgradePlaces(folder))
      // Without a request in its folder it has nothing to do.
      const program = [join(own, 'node'), join(own, 'server/src/upgrade/main.ts')] as const
      assert.deepEqual(await thisMachine.run(['env', `PORTCULLIS_STATE=${folder}`, ...program]), good)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

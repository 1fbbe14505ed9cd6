// H4: anyone who holds gatewayd owns `<state>/gateway`. It fills every name that root could meet there with links and pipes;
// then everything that root runs is run. Nothing outside may change, and nothing may wait.
// Requirements 49 and 51.

import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { uploadToShare } from '../../src/engines/share-upload/request.ts'
import { ApplydClient } from '../../src/gatewayd/apply/client.ts'
import { appRoot } from '../../src/tools/launcher/layout.ts'
import { unlessComplete } from '../support/requires.ts'
import { compileCache, ourRuntime } from '../support/started.ts'
import { createTestGateway } from '../support/test-gateway.ts'
import { until } from '../support/until.ts'

const skip = process.getuid?.() === 0 ? false : unlessComplete('only root can run what root runs')
/** The account of earlier releases: the launcher must take over what it owned. */
const service = 61_847
const [runtime, plain] = ourRuntime
const backup = '00000000-0000-4000-8000-000000000000'

type Plant = 'a link to a file' | 'a link to a folder' | 'a link to nothing' | 'a pipe'
const plants: readonly Plant[] = ['a link to a file', 'a link to a folder', 'a link to nothing', 'a pipe']

describe('H4: root meets links and pipes in the folder of gatewayd', { skip }, () => {
  let home: string
  let names: readonly string[]

  before(async () => {
    home = fs.mkdtempSync(join(tmpdir(), 'hostile-state-'))
    fs.chmodSync(home, 0o711)
    // Every name that a gateway makes, and what each is called while it is written.
    const folder = join(home, 'sample')
    fs.mkdirSync(folder)
    const sample = await createTestGateway({ folder })
    const made = fs.readdirSync(folder)
    await sample.close()
    fs.mkdirSync(stopped())
    const gateway = await createTestGateway({ folder: stopped() })
    await gateway.engine.idle()
    gateway.engine.close()
    gateway.services.audit.flush()
    await gateway.http.close()
    gateway.database.close()
    for (const name of fs.readdirSync(stopped()))
      if (!isKept(name)) fs.rmSync(join(stopped(), name), { recursive: true })
    const known = [
      ...made,
      'backups',
      'tls',
      'log.db',
      'recovery.key',
      'hit-counters.json',
      'compile-cache',
      'certificates',
    ]
    const all = known.flatMap((name) =>
      ['', '.new', '-wal', '-shm', '-journal', '.part'].map((ending) => name + ending),
    )
    names = [...new Set(all)].filter((name) => !isKept(name))
  })
  after(() => fs.rmSync(home, { recursive: true, force: true }))

  const stateDir = () => join(home, 'state')
  const victim = () => join(home, 'victim')
  /** What is left of a stopped gateway, from which every state is copied. */
  const stopped = () => join(home, 'stopped')
  const isKept = (name: string): boolean => /^(gateway\.db|vault\.key)$/.test(name)

  /** A stopped gateway of the service account, and beside it what root alone may touch. */
  function makeState(): void {
    for (const path of [stateDir(), victim()]) fs.rmSync(path, { recursive: true, force: true })
    fs.mkdirSync(victim(), { mode: 0o700 })
    fs.writeFileSync(join(victim(), 'file'), 'secret of root\n', { mode: 0o600 })
    fs.writeFileSync(join(victim(), 'daemon.json'), '{}', { mode: 0o600 })
    fs.writeFileSync(join(victim(), 'server.crt'), 'x', { mode: 0o600 })
    const folder = join(stateDir(), 'gateway')
    fs.cpSync(stopped(), folder, { recursive: true })
    fs.chmodSync(stateDir(), 0o711)
    fs.mkdirSync(join(stateDir(), 'run'), { mode: 0o750 })
    execFileSync('/usr/bin/chown', ['-R', `${service}:${service}`, folder])
    fs.chmodSync(folder, 0o700)
  }

  /** As the service account, which is all that an attacker has. */
  const asService = (...command: string[]): void => {
    const rights = [`--reuid=${service}`, `--regid=${service}`, '--clear-groups', '--']
    execFileSync('/usr/bin/setpriv', [...rights, ...command])
  }

  function put(kind: Plant, ...paths: string[]): void {
    const target = { 'a link to a file': 'file', 'a link to a folder': '', 'a link to nothing': 'made' }
    const link = 'target=$1; shift; for path; do ln -s "$target" "$path"; done'
    if (kind === 'a pipe') asService('/usr/bin/mkfifo', ...paths)
    else asService('/bin/sh', '-ec', link, 'link', join(victim(), target[kind]), ...paths)
  }

  function plant(kind: Plant): void {
    const folder = join(stateDir(), 'gateway')
    put(kind, ...names.map((name) => join(folder, name)))
  }

  /** Names, owners, modes, times and contents of what root alone may touch. */
  const outside = () =>
    fs.readdirSync(victim()).map((name) => {
      const { uid, gid, mode, mtimeMs, ctimeMs } = fs.lstatSync(join(victim(), name))
      return [name, uid, gid, mode, mtimeMs, ctimeMs, fs.readFileSync(join(victim(), name), 'utf8')]
    })
  /** What root made in the folder would be a door for the next one. */
  const madeByRoot = () =>
    fs.readdirSync(join(stateDir(), 'gateway')).filter((name) => {
      const { uid } = fs.lstatSync(join(stateDir(), 'gateway', name))
      return uid === 0
    })

  async function gw(...words: string[]) {
    const env = { HOME: join(home, 'root'), PATH: '/usr/bin:/bin', PORTCULLIS_STATE: stateDir(), ...compileCache }
    const program = [plain, join(appRoot, 'server/src/tools/cli/main.ts'), ...words]
    const child = spawn(runtime, program, { env, stdio: ['ignore', 'pipe', 'pipe'] })
    let text = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (part: string) => {
        text += part
      })
    const [code] = await once(child, 'close')
    return { code, text }
  }

  for (const kind of plants)
    it(`gw admin reset with ${kind} under every name`, async () => {
      makeState()
      plant(kind)
      const before = outside()
      const said = await gw('admin', 'reset')
      // SQLite itself refuses a strange file beside the database, and so does the command.
      const isRefused = /is not a plain file/.test(said.text)
      assert.equal(said.code, isRefused ? 1 : 0, said.text)
      assert.deepEqual(outside(), before)
      assert.deepEqual(madeByRoot(), [])
      assert.doesNotMatch(said.text, /secret of root/)
      for (const name of names.filter((one) => one.startsWith('gateway.db')))
        fs.rmSync(join(stateDir(), 'gateway', name), { force: true })
      const again = await gw('admin', 'reset')
      assert.equal(again.code, 0, again.text)
      assert.deepEqual(outside(), before)
      assert.deepEqual(madeByRoot(), [])
    })

  for (const kind of plants)
    it(`gw admin reset with ${kind} as the database or the key`, async () => {
      for (const name of ['gateway.db', 'vault.key']) {
        makeState()
        fs.rmSync(join(stateDir(), 'gateway', name))
        put(kind, join(stateDir(), 'gateway', name))
        const before = outside()
        const said = await gw('admin', 'reset')
        assert.equal(said.code, 1)
        assert.match(said.text, /is not a plain file|There is no gateway/)
        assert.deepEqual(outside(), before)
      }
    })

  for (const kind of plants)
    it(`the launcher, applyd and every command with ${kind} under every name`, async () => {
      makeState()
      plant(kind)
      fs.linkSync(join(victim(), 'file'), join(stateDir(), 'gateway', 'hard'))
      const before = outside()
      const env = {
        PORTCULLIS_STATE: stateDir(),
        PORTCULLIS_LISTEN: '127.0.0.1:0',
        PATH: '/usr/bin:/bin',
        ...compileCache,
      }
      const main = join(appRoot, 'server/src/tools/launcher/main.ts')
      const launcher = spawn(runtime, [plain, main], { env, stdio: 'ignore', cwd: appRoot })
      try {
        const socket = join(stateDir(), 'run', 'applyd.sock')
        await until('applyd serves', () => fs.existsSync(socket))
        // Now the account is another one; what it owns it fills again, and the folder of the lab too.
        const { uid, gid } = fs.lstatSync(join(stateDir(), 'gateway'))
        assert.notEqual(uid, service)
        const client = new ApplydClient(socket)
        const sample = { backup, name: 'a', server: 'b', address: '192.0.2.1', share: 'c' }
        const request = { ...sample, folder: '', login: 'd', password: 'e' }
        await assert.rejects(uploadToShare(client, request), /The backup does not exist/)
        client.close()
        for (const words of [['lab', 'status'], ['status'], ['whoami'], ['admin', 'reset']]) {
          const said = await gw(...words)
          assert.doesNotMatch(said.text, /secret of root/)
        }
        const hard = fs.statSync(join(stateDir(), 'gateway', 'hard'))
        assert.deepEqual([hard.uid, gid !== 0], [0, true])
      } finally {
        launcher.kill('SIGTERM')
        await once(launcher, 'exit')
      }
      fs.rmSync(join(stateDir(), 'gateway', 'hard'))
      const unlinked = (list: ReturnType<typeof outside>) => list.map((entry) => entry.toSpliced(5, 1))
      assert.deepEqual(unlinked(outside()), unlinked(before))
    })

  it('a folder that leads to the state and that the account can replace is refused', async () => {
    makeState()
    fs.chmodSync(home, 0o777)
    const env = {
      PORTCULLIS_STATE: stateDir(),
      PORTCULLIS_LISTEN: '127.0.0.1:0',
      PATH: '/usr/bin:/bin',
      ...compileCache,
    }
    const main = join(appRoot, 'server/src/tools/launcher/main.ts')
    const launcher = spawn(runtime, [plain, main], { env, stdio: ['ignore', 'ignore', 'pipe'], cwd: appRoot })
    let text = ''
    launcher.stderr.setEncoding('utf8').on('data', (part: string) => {
      text += part
    })
    const [code] = await once(launcher, 'close')
    fs.chmodSync(home, 0o711)
    assert.equal(code, 1)
    assert.match(text, /The service account could replace .*hostile-state-/)
  })
})

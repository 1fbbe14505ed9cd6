// Another account of the machine leaves a folder that looks like a state folder where root, or the administrator, works.
// It must neither get a password nor have its programs run by root.

import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, beforeEach, describe, it } from 'node:test'
import { findStateDir, localAddress } from '../../src/tools/cli/client/local-gateway.ts'
import { execInLab, NoLab, readLabStatus } from '../../src/tools/launcher/enter-lab.ts'
import { readIdentity } from '../../src/tools/launcher/identity.ts'
import { appRoot } from '../../src/tools/launcher/layout.ts'
import { writeRecord } from '../../src/tools/launcher/record.ts'
import { unlessComplete } from '../support/requires.ts'
import { compileCache, ourRuntime } from '../support/started.ts'

const skip = process.getuid?.() === 0 ? false : unlessComplete('only root can make folders of other accounts')
const outsider = 61_901

describe('an account that leaves a state folder of its own in the way', { skip }, () => {
  const home = fs.mkdtempSync(join(tmpdir(), 'hostile-folder-'))
  const stateDir = join(home, 'work', 'state')
  beforeEach(() => {
    fs.rmSync(home, { recursive: true, force: true })
    fs.mkdirSync(join(stateDir, 'run'), { recursive: true })
    fs.mkdirSync(join(stateDir, 'gateway'))
    fs.chmodSync(home, 0o755)
  })
  after(() => fs.rmSync(home, { recursive: true, force: true }))

  /** A record of a gateway that seems to run. */
  function pretend(folder: string, pid = process.pid): void {
    const identity = readIdentity(pid)
    assert.ok(identity)
    writeRecord(folder, {
      pid,
      launcher: identity,
      inside: identity,
      userNamespace: false,
      address: 'https://192.0.2.1:8443/',
      dataplane: 'lab',
      limitation: null,
      namespaces: ['client'],
      started: new Date().toISOString(),
      processes: {},
    })
  }
  const give = (...paths: readonly string[]): void => {
    for (const path of paths) fs.chownSync(path, outsider, outsider)
  }
  const place = { env: {}, workingDir: join(home, 'work') }

  it('is not asked where to send a password', () => {
    pretend(stateDir)
    assert.equal(findStateDir(place), stateDir)
    assert.equal(localAddress(place), 'https://192.0.2.1:8443')
    give(stateDir, join(stateDir, 'run'))
    assert.equal(findStateDir(place), join(appRoot, 'state'))
    assert.notEqual(localAddress(place), 'https://192.0.2.1:8443')
    assert.equal(localAddress({ ...place, env: { PORTCULLIS_STATE: stateDir } }), null)
  })

  it('is not asked through a link to a folder of root in which everyone can make entries', () => {
    const open = join(home, 'open')
    fs.renameSync(stateDir, open)
    fs.chmodSync(open, 0o1777)
    pretend(open)
    give(join(open, 'run'), join(open, 'gateway'), place.workingDir)
    fs.symlinkSync(open, stateDir)
    assert.equal(findStateDir(place), join(appRoot, 'state'))
    assert.equal(localAddress({ ...place, env: { PORTCULLIS_STATE: stateDir } }), null)
  })

  it('is not asked when it could only replace the folder', () => {
    pretend(stateDir)
    give(place.workingDir)
    assert.equal(findStateDir(place), join(appRoot, 'state'))
    assert.equal(localAddress({ ...place, env: { PORTCULLIS_STATE: stateDir } }), null)
  })

  it('has no program run by root that enters what its record calls the lab', async () => {
    const [program, proof] = [join(home, 'program'), join(home, 'proof')]
    fs.writeFileSync(program, `#!/bin/sh\nid -u >>${proof}\n`, { mode: 0o755 })
    // The mounts of this process are the attacker's, and so are its nsenter and its ip.
    const mounts = `for tool in /usr/bin/nsenter /sbin/ip; do mount --bind ${program} $tool; done; echo ready; exec sleep 60`
    const inside = spawn('/usr/bin/unshare', ['--mount', '--propagation', 'private', '/bin/sh', '-c', mounts], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    await once(inside.stdout, 'data')
    try {
      pretend(stateDir, inside.pid)
      await execInLab(stateDir, 'client', ['true'])
      assert.equal(fs.readFileSync(proof, 'utf8'), '0\n', 'a record of root is believed')
      fs.rmSync(proof)
      give(stateDir)
      await execInLab(stateDir, 'client', ['true'])
      await readLabStatus(stateDir).catch((fault: unknown) => assert.ok(fault instanceof NoLab))
      assert.equal(fs.existsSync(proof), false)
      fs.chownSync(stateDir, 0, 0)
      give(place.workingDir)
      assert.throws(() => execInLab(stateDir, 'client', ['true']), NoLab)
      await assert.rejects(readLabStatus(stateDir), NoLab)
      assert.equal(fs.existsSync(proof), false)
    } finally {
      inside.kill('SIGKILL')
    }
  })

  it('is not given the state of a gateway that root starts', () => {
    const launcher = join(appRoot, 'server/src/tools/launcher/main.ts')
    const path = join(home, 'new')
    for (const prepare of [() => give(home), () => give(path), () => fs.chmodSync(path, 0o1777)]) {
      fs.rmSync(path, { recursive: true, force: true })
      fs.mkdirSync(path)
      fs.chownSync(home, 0, 0)
      prepare()
      const env = { PATH: '/usr/bin:/bin', PORTCULLIS_STATE: path, PORTCULLIS_DATAPLANE: 'none', ...compileCache }
      const [runtime, plain] = ourRuntime
      const { status, stderr } = spawnSync(runtime, [plain, launcher], { env, encoding: 'utf8', timeout: 60_000 })
      assert.equal(status, 1)
      assert.match(stderr, /could replace the state folder/)
      assert.deepEqual(fs.readdirSync(path), [])
    }
  })
})

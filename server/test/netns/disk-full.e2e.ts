// The whole product on a small disk that is full: every process is killed and comes back, traffic and names go on, and
// with room again everything works without a restart.
// Requirements 57, 62 and 75.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, closeSync, mkdirSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { webAddress } from '../../src/tools/lab/network.ts'
import { ApiClient } from '../support/api-client.ts'
import { type LabGateway, startGateway } from '../support/lab-gateway.ts'
import { unlessComplete } from '../support/requires.ts'
import { until } from '../support/until.ts'

const password = 'correct horse 9'
const sizeMebibytes = 96

describe('H5: a full disk under the whole product', { skip: reasonToSkip() }, () => {
  let disk = ''
  before(() => {
    disk = mkdtempSync(join(tmpdir(), 'portcullis-full-'))
    run('mount', '-t', 'tmpfs', '-o', `size=${sizeMebibytes}m,mode=711`, 'portcullis-test', disk)
  })
  after(() => {
    run('umount', '-l', disk)
    rmSync(disk, { recursive: true, force: true })
  })

  const filler = (): string => join(disk, 'filler')
  const fill = (): void => {
    const file = openSync(filler(), 'a')
    for (const size of [1 << 20, 1 << 12]) while (isWritten(file, Buffer.alloc(size)));
    closeSync(file)
  }
  const free = (): void => rmSync(filler())

  const signedIn = async (lab: LabGateway): Promise<ApiClient> => {
    const api = new ApiClient(lab.address)
    await api.signIn('admin', password)
    return api
  }

  const statusOf = async (api: ApiClient, part: string): Promise<string> => {
    const { body } = await api.call('GET', '/config/status')
    return body.find(({ name }: { name: string }) => name === part).status
  }

  const addAdministrator = (api: ApiClient, name: string) =>
    api.call('POST', '/web/admins/local', {
      enabled: true,
      role: 'predefined_admin_readonly',
      password: 'never used here',
      login: name,
      name,
      comment: '',
    })

  const startLab = async (stateDir: string): Promise<LabGateway> => {
    mkdirSync(stateDir)
    chmodSync(stateDir, 0o711)
    const lab = await startGateway({ stateDir, adminPassword: password, dataplane: 'lab' })
    lab.log.allow(complaints)
    return lab
  }

  const assertTraffic = async (lab: LabGateway): Promise<void> => {
    // By address, and by a name that the DNS service of the gateway resolves.
    for (const host of [webAddress, 'www.example.test']) {
      const page = await lab.exec('client', ['curl', '-sS', '--max-time', '20', `http://${host}/hello`])
      assert.equal(page.code, 0, page.stderr)
    }
  }

  it('H5: launcher, applyd and gatewayd live on or come back, and recover without a restart', async () => {
    const stateDir = join(disk, 'state')
    await using lab = await startLab(stateDir)
    const api = await signedIn(lab)
    assert.equal((await addAdministrator(api, 'before')).status, 200)
    await until('the reserves are taken', () => reserves(stateDir).every((size) => size > 0))
    fill()
    let tries = 0
    for (const kill of [() => lab.killGatewayd(), () => lab.killApplyd(), () => lab.killGatewayd()]) {
      await kill()
      fill()
      const again = await signedIn(lab)
      assert.equal((await again.call('GET', '/firewall/settings')).status, 200)
      // What the product gives back by itself is filled again.
      await until('new changes are refused and the status says so', async () => {
        fill()
        const { status } = await addAdministrator(again, `refused-${++tries}`)
        return status === 503 && (await statusOf(again, 'store')) === 'failed'
      })
      assert.equal((await again.call('DELETE', '/web/auth/login')).status, 200)
      again.close()
      await assertTraffic(lab)
    }
    assert.equal((await api.call('GET', '/web/whoami')).status, 200, 'the session ended with a process')
    free()
    await until(
      'changes are accepted again',
      async () => (await addAdministrator(api, `after-${Date.now()}`)).status === 200,
    )
    await until('the reserves are taken again', () => reserves(stateDir).every((size) => size > 0))
    api.close()
    await lab.stop()
  })

  it('H5: starts on a full disk after a crash of the launcher, with what was answered', async () => {
    const stateDir = join(disk, 'state')
    fill()
    assert.ok(reserves(stateDir).every((size) => size > 0))
    await using lab = await startGateway({ stateDir, dataplane: 'lab' })
    lab.log.allow(complaints)
    const api = await signedIn(lab)
    const { body } = await api.call('GET', '/web/admins/local')
    assert.ok(body.some(({ login }: { login: string }) => login === 'before'))
    await until('names are answered', async () => (await statusOf(api, 'dns')) === 'active')
    await assertTraffic(lab)
    await lab.crash()
    await using second = await startGateway({ stateDir, dataplane: 'lab' })
    second.log.allow(complaints)
    const again = await signedIn(second)
    free()
    await until(
      'changes are accepted again',
      async () => (await addAdministrator(again, `late-${Date.now()}`)).status === 200,
    )
    for (const client of [api, again]) client.close()
    await second.stop()
  })

  it('H5: the web filter goes on without its log', async () => {
    rmSync(join(disk, 'filler'), { force: true })
    const stateDir = join(disk, 'web')
    await using lab = await startLab(stateDir)
    const api = await signedIn(lab)
    await api.ok('PATCH', '/content-filter/settings', { enabled_extended_categorizer: true })
    const rule = { name: 'No alcohol', access: 'deny', aliases: ['any'], categories: ['extended.id.4'] }
    await api.ok('POST', '/content-filter/rules', rule)
    await api.ok('PATCH', '/content-filter/state', { enabled: true })
    const filter = async (): Promise<string> => {
      const { body } = await api.call('GET', '/content-filter/status')
      return body.find(({ name }: { name: string }) => name === 'content-filter').status
    }
    await until('requests are judged', async () => (await filter()) === 'active')
    const ask = async (path: string): Promise<string> => {
      const url = `http://alcohol.category.example/${path}`
      const code = ['-o', '/dev/null', '-w', '%{http_code}']
      return (await lab.exec('client', ['curl', '-s', '--max-time', '20', ...code, url])).stdout
    }
    await until('a request is denied', async () => (await ask('first')) === '403')
    await until('the reserves are taken', () => reserves(stateDir).every((size) => size > 0))
    // Far more than what is free in the last block of the log.
    for (let count = 0; count < 20; count++) {
      fill()
      assert.equal(await ask(`${count}/${'x'.repeat(1_000)}`), '403', `request ${count}`)
    }
    free()
    await until('requests are judged', async () => (await filter()) === 'active')
    assert.equal(await ask('last'), '403')
    api.close()
    await lab.stop()
  })
})

/** What a full disk makes them say. */
const complaints =
  /disk|ENOSPC|no space|apply service|checkpoint|cannot be (stored|collected)|An apply failed|firewall log|does not follow/i

const reserves = (stateDir: string): number[] =>
  ['gateway', 'applyd'].map((name) => statSync(join(stateDir, name, 'reserve'), { throwIfNoEntry: false })?.size ?? 0)

function isWritten(file: number, block: Buffer): boolean {
  try {
    writeSync(file, block)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return false
    throw error
  }
}

function run(program: string, ...args: readonly string[]): void {
  const { status, stderr } = spawnSync(program, args, { encoding: 'utf8' })
  assert.equal(status, 0, stderr)
}

function reasonToSkip(): string | false {
  if (process.getuid?.() !== 0) return unlessComplete('only root can mount a small file system')
  return false
}

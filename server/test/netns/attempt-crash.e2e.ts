// Processes that end at the exact moments of a change of tables: after the kernel has it and before it is committed, after
// the commit and before it is settled, and a disk that fails in between. The kernel and the configuration are what was
// answered, and never half a change.
// Requirement 59.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, afterEach, before, describe, it } from 'node:test'
import { ApiClient } from '../support/api-client.ts'
import { ApplydWire, type WireMessage } from '../support/applyd-wire.ts'
import { type LabGateway, startGateway } from '../support/lab-gateway.ts'
import { until } from '../support/until.ts'

const password = 'correct horse 9'

describe('a change of tables', () => {
  let gateway: LabGateway
  let api: ApiClient
  /** The whole table with and without the change. */
  const listings = new Map<boolean, string>()
  before(async () => {
    gateway = await startGateway({ adminPassword: password })
    api = new ApiClient(gateway.address)
    await api.signIn('admin', password)
    for (const on of [false, true]) {
      await api.ok('PATCH', '/firewall/settings', { automatic_snat_enabled: on })
      listings.set(on, await listing())
    }
    assert.notEqual(listings.get(true), listings.get(false))
  })
  after(async () => {
    api.close()
    await gateway.stop()
  })

  async function listing(): Promise<string> {
    const { stdout } = await gateway.exec('gateway', ['/usr/sbin/nft', '-s', 'list', 'table', 'inet', 'portcullis'])
    return stdout
  }
  const isOn = async (): Promise<boolean> => (await api.ok('GET', '/firewall/settings')).automatic_snat_enabled

  /** The status, or null when there was no answer. */
  async function turnOff(): Promise<number | null> {
    // A connection that was used before would send the request again when it breaks.
    api.close()
    try {
      return (await api.call('PATCH', '/firewall/settings', { automatic_snat_enabled: false })).status
    } catch {
      return null
    }
  }

  /** What is committed is in the kernel, all of it. */
  async function assertWhole(expected: boolean): Promise<void> {
    assert.equal(await isOn(), expected)
    await until('the kernel equals the configuration', async () => (await listing()) === listings.get(expected))
    assert.equal((await api.ok('GET', '/journal/verify')).intact, true)
  }

  afterEach(async () => {
    await api.ok('PATCH', '/firewall/settings', { automatic_snat_enabled: true })
    await assertWhole(true)
  })

  /** Ends a process at the first message like this after the change began, and waits until it serves again. */
  async function turnOffAndKill(
    process: 'gatewayd' | 'applyd',
    isMoment: (message: WireMessage) => boolean,
  ): Promise<number | null> {
    await using wire = await ApplydWire.begin(gateway)
    let killed: Promise<void> | null = null
    wire.look = (message) => {
      if (killed || !isMoment(message)) return killed !== null
      killed = process === 'gatewayd' ? gateway.killGatewayd() : gateway.killApplyd()
      return true
    }
    const status = await turnOff()
    assert.ok(killed, 'the moment did not come')
    await killed
    return status
  }

  const isTried = ({ from, verb, status }: WireMessage): boolean =>
    from === 'applyd' && verb === 'attempt' && status === 'applied'
  const isCommitted = ({ from, verb }: WireMessage): boolean => from === 'gatewayd' && verb === 'settle'

  it('is undone when gatewayd is killed between the attempt and the commit', async () => {
    assert.equal(await turnOffAndKill('gatewayd', isTried), null)
    await assertWhole(true)
  })

  it('is kept when gatewayd is killed between the commit and the settle', async () => {
    await turnOffAndKill('gatewayd', isCommitted)
    await assertWhole(false)
  })

  it('is undone and not kept when applyd is killed after the attempt', async () => {
    assert.equal(await turnOffAndKill('applyd', isTried), 503)
    await assertWhole(true)
  })

  it('is kept when applyd is killed before the settle arrives', async () => {
    assert.equal(await turnOffAndKill('applyd', isCommitted), 200)
    await assertWhole(false)
  })

  it('is undone when the disk refuses the commit', async () => {
    gateway.log.expect(/^error: gatewayd: a request failed .*injected/s)
    const meddle = (sql: string): void => {
      // gatewayd may be writing right now.
      const other = new DatabaseSync(join(gateway.stateDir, 'gateway', 'gateway.db'), { timeout: 5_000 })
      other.exec(sql)
      other.close()
    }
    meddle(`CREATE TRIGGER fault BEFORE INSERT ON revisions BEGIN SELECT RAISE(FAIL, 'injected'); END`)
    assert.equal(await turnOff(), 500)
    meddle('DROP TRIGGER fault')
    await assertWhole(true)
  })
})

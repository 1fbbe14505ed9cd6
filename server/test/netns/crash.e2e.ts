// Kill -9 at random moments while clients write: what was acknowledged is there, nothing is half there, and the kernel
// is what the configuration says. The exact moments of a change of tables are in attempt-crash.e2e.ts.
// Requirements 57 and 61.

import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import { describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { ApiClient } from '../support/api-client.ts'
import { type LabGateway, startGateway } from '../support/lab-gateway.ts'
import { until } from '../support/until.ts'

const password = 'correct horse 9'
const isNightly = process.env.PORTCULLIS_NIGHTLY === '1'
const kills = { gatewayd: isNightly ? 400 : 8, applyd: isNightly ? 200 : 4 } as const
const writers = 4
const mostWrites = 20
const mostTurns = 100

/** What a writer knows about its object: the last value that was acknowledged, and the one whose fate is unknown. */
interface Ledger {
  readonly id: string
  acknowledged: number
  attempted: number
}

/** A lab with its writers. */
class Victim implements AsyncDisposable {
  readonly #gateway: LabGateway
  readonly #api: ApiClient
  readonly #ledgers: readonly Ledger[]
  readonly #events = new EventEmitter()
  #snatAcknowledged: boolean | null = null

  private constructor(gateway: LabGateway, api: ApiClient, ledgers: readonly Ledger[]) {
    this.#gateway = gateway
    this.#api = api
    this.#ledgers = ledgers
  }

  static async start(): Promise<Victim> {
    const gateway = await startGateway({ adminPassword: password })
    const api = new ApiClient(gateway.address)
    await api.signIn('admin', password)
    const ledgers: Ledger[] = []
    for (let index = 0; index < writers; index++) {
      const fields = { enabled: true, role: 'predefined_admin_readonly', comment: '0', name: '0' }
      const secret = { login: `writer-${index}`, password: 'never used here' }
      const { id } = await api.ok('POST', '/web/admins/local', { ...fields, ...secret })
      ledgers.push({ id, acknowledged: 0, attempted: 0 })
    }
    return new Victim(gateway, api, ledgers)
  }

  kill(name: keyof typeof kills): Promise<void> {
    return name === 'gatewayd' ? this.#gateway.killGatewayd() : this.#gateway.killApplyd()
  }

  async stop(): Promise<void> {
    this.#api.close()
    await this.#gateway.stop()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#api.close()
    await this.#gateway[Symbol.asyncDispose]()
  }

  /** One change of two fields; an error or a lost connection leaves its fate open. */
  async #writeOnce(ledger: Ledger): Promise<void> {
    ledger.attempted++
    this.#events.emit('write')
    const value = String(ledger.attempted)
    try {
      const { status } = await this.#api.call(
        'PATCH',
        `/web/admins/local/${ledger.id}`,
        { name: value, comment: value },
        {},
        5_000,
      )
      if (status === 200) ledger.acknowledged = ledger.attempted
    } catch {
      // The process died before it answered.
    }
  }

  async #toggleSnat(on: boolean): Promise<void> {
    this.#snatAcknowledged = null
    try {
      const { status } = await this.#api.call('PATCH', '/firewall/settings', { automatic_snat_enabled: on }, {}, 5_000)
      if (status === 200) this.#snatAcknowledged = on
    } catch {
      // As above.
    }
  }

  /** Writes without a pause, and does `work` in the middle of one of the next writes. */
  async writeUntil(work: () => Promise<void>): Promise<void> {
    let isOver = false
    const over = this.#someWrite()
      .then(work)
      .finally(() => {
        isOver = true
      })
    const loops = this.#ledgers.map(async (ledger) => {
      while (!isOver) await this.#writeOnce(ledger)
    })
    const toggles = (async () => {
      for (let on = false; !isOver; on = !on) await this.#toggleSnat(on)
    })()
    await Promise.all([over, ...loops, toggles])
  }

  /** A random number of writes, and of turns of the loop after the last of them began: it may be sent, stored or answered. */
  async #someWrite(): Promise<void> {
    for (let left = randomInt(1, mostWrites); left > 0; left--) await once(this.#events, 'write')
    for (let left = randomInt(mostTurns); left > 0; left--) await setImmediate()
  }

  async checkEverything(): Promise<void> {
    const { body, status } = await this.#api.call('GET', '/web/admins/local')
    assert.equal(status, 200)
    for (const ledger of this.#ledgers) {
      const admin = body.find((item: { id: string }) => item.id === ledger.id)
      assert.equal(admin.name, admin.comment, 'half a change is there')
      const stored = Number(admin.name)
      assert.ok(
        stored >= ledger.acknowledged && stored <= ledger.attempted,
        `${stored} is not in ${JSON.stringify(ledger)}`,
      )
    }
    const isOn = async (): Promise<boolean> =>
      (await this.#api.call('GET', '/firewall/settings')).body.automatic_snat_enabled
    if (this.#snatAcknowledged !== null) assert.equal(await isOn(), this.#snatAcknowledged)
    // A change that was given up may still be carried out, so the configuration is read again each time.
    await until('the kernel equals the configuration', async () => (await this.#isSnatInKernel()) === (await isOn()))
  }

  async #isSnatInKernel(): Promise<boolean | null> {
    const { code, stdout } = await this.#gateway.exec('gateway', [
      '/usr/sbin/nft',
      'list',
      'chain',
      'inet',
      'portcullis',
      'postrouting',
    ])
    return code === 0 ? stdout.includes('masquerade') : null
  }

  /** One record for every revision. */
  async checkAuditTrail(): Promise<void> {
    assert.equal((await this.#api.ok('GET', '/journal/verify')).intact, true)
    const [{ revision }] = await this.#api.ok('GET', '/config/revisions?limit=1')
    const records: { event: string; revision: number }[] = await this.#api.ok('GET', '/journal/records?limit=10000')
    const changes = records.filter(({ event }) => event === 'change').map((record) => record.revision)
    assert.equal(changes[0], revision)
    assert.equal(new Set(changes).size, changes.length)
  }
}

// Each has its own lab, so they run at the same time.
describe('killed at random moments', { concurrency: true }, () => {
  for (const name of ['gatewayd', 'applyd'] as const)
    it(`${kills[name]} times ${name}: nothing acknowledged is lost or half done, kernel and audit trail follow`, async () => {
      await using victim = await Victim.start()
      for (let kill = 0; kill < kills[name]; kill++) {
        await victim.writeUntil(() => victim.kill(name))
        await victim.checkEverything()
      }
      await victim.checkAuditTrail()
      await victim.stop()
    })
})

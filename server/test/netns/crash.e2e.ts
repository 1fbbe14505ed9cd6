// Kill -9 at random moments while clients write: what was acknowledged is there, nothing is half there, and the kernel
// is what the configuration says.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { ApiClient } from '../support/api-client.ts'
import { type LabGateway, startGateway } from '../support/lab-gateway.ts'
import { until } from '../support/until.ts'

const password = 'correct horse 9'
const factor = process.env.PORTCULLIS_NIGHTLY ? 5 : 1
const gatewaydKills = 200 * factor
const applydKills = 60 * factor
const writers = 4

/** What a writer knows about its object: the last value that was acknowledged, and the one whose fate is unknown. */
interface Ledger {
  readonly id: string
  acknowledged: number
  attempted: number
}

describe('killed at random moments', () => {
  let gateway: LabGateway
  let api: ApiClient
  const ledgers: Ledger[] = []
  before(async () => {
    gateway = await startGateway({ adminPassword: password })
    api = new ApiClient(gateway.address)
    await api.signIn('admin', password)
    for (let index = 0; index < writers; index++) {
      const fields = {
        enabled: true,
        role: 'predefined_admin_readonly',
        password: 'never used here',
        comment: '0',
        name: '0',
      }
      const { body } = await api.call('POST', '/web/admins/local', { ...fields, login: `writer-${index}` })
      ledgers.push({ id: body.id, acknowledged: 0, attempted: 0 })
    }
  })
  after(async () => {
    api.close()
    await gateway.stop()
  })

  /** One change of two fields; an error or a lost connection leaves its fate open. */
  async function writeOnce(ledger: Ledger): Promise<void> {
    ledger.attempted++
    const value = String(ledger.attempted)
    try {
      const { status } = await api.call(
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

  let snatAcknowledged: boolean | null = null
  async function toggleSnat(on: boolean): Promise<void> {
    snatAcknowledged = null
    try {
      const { status } = await api.call('PATCH', '/firewall/settings', { automatic_snat_enabled: on }, {}, 5_000)
      if (status === 200) snatAcknowledged = on
    } catch {
      // As above.
    }
  }

  async function writeWhile(work: Promise<void>): Promise<void> {
    let isOver = false
    const over = work.finally(() => {
      isOver = true
    })
    const loops = ledgers.map(async (ledger) => {
      while (!isOver) await writeOnce(ledger)
    })
    const toggles = (async () => {
      for (let on = false; !isOver; on = !on) await toggleSnat(on)
    })()
    await Promise.all([over, ...loops, toggles])
  }

  async function checkEverything(): Promise<void> {
    const { body, status } = await api.call('GET', '/web/admins/local')
    assert.equal(status, 200)
    for (const ledger of ledgers) {
      const admin = body.find((item: { id: string }) => item.id === ledger.id)
      assert.equal(admin.name, admin.comment, 'half a change is there')
      const stored = Number(admin.name)
      assert.ok(
        stored >= ledger.acknowledged && stored <= ledger.attempted,
        `${stored} is not in ${JSON.stringify(ledger)}`,
      )
    }
    const settings = await api.call('GET', '/firewall/settings')
    const isOn = settings.body.automatic_snat_enabled as boolean
    if (snatAcknowledged !== null) assert.equal(isOn, snatAcknowledged)
    await until('the kernel equals the configuration', async () => (await isSnatInKernel()) === isOn)
  }

  async function isSnatInKernel(): Promise<boolean | null> {
    const { code, stdout } = await gateway.exec('gateway', [
      '/usr/sbin/nft',
      'list',
      'chain',
      'inet',
      'portcullis',
      'postrouting',
    ])
    return code === 0 ? stdout.includes('masquerade') : null
  }

  const randomMoment = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, Math.random() * 120))

  for (const [name, kills] of [
    ['gatewayd', gatewaydKills],
    ['applyd', applydKills],
  ] as const) {
    it(`${kills} times ${name}: nothing acknowledged is lost, nothing is half done, the kernel follows`, async () => {
      for (let kill = 0; kill < kills; kill++) {
        await writeWhile(
          randomMoment().then(() => (name === 'gatewayd' ? gateway.killGatewayd() : gateway.killApplyd())),
        )
        await checkEverything()
      }
    })
  }

  it('leaves an intact audit trail with one record for every revision', async () => {
    assert.equal((await api.call('GET', '/journal/verify')).body.intact, true)
    const [{ revision }] = (await api.call('GET', '/config/revisions?limit=1')).body
    const records = (await api.call('GET', '/journal/records?limit=10000')).body as {
      event: string
      revision: number
    }[]
    const changes = records.filter(({ event }) => event === 'change').map((record) => record.revision)
    assert.equal(changes[0], revision)
    assert.equal(new Set(changes).size, changes.length)
  })
})

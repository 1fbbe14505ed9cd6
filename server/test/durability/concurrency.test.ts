// Many clients at once on the same objects: their answers are consistent with one serial order, no update based on a stale
// copy succeeds, and the history replayed from nothing gives the same state.
// Requirement 68.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { settings } from '../../src/areas/firewall/config.ts'
import { areas } from '../../src/areas/index.ts'
import { read, type Slot } from '../../src/core/model/slots.ts'
import { isNightly, Random, seed } from '../security/random.ts'
import { notes, sampleArea } from '../support/sample-area.ts'
import { type Answer, type Client, createTestGateway, type TestGateway } from '../support/test-gateway.ts'
import { assertWhole, readStored } from './stored.ts'

const clients = 64
const edits = isNightly ? 10_000 : 1_000
const slots: readonly Slot[] = [...areas, sampleArea].flatMap((area) => area.slots)

/** The statuses that each kind of edit may get when others do the same. */
const allowed: Readonly<Record<string, readonly number[]>> = {
  rename: [200],
  'rename with If-Match': [200, 412],
  'log mode': [200],
  'log mode with If-Match': [200, 412],
  'add note': [200],
  'change note': [200, 404],
  'move note': [200, 404, 422],
  'remove note': [200, 404],
  'add administrator': [200],
  'remove administrator': [200, 404],
  snat: [200],
}

describe(`${clients} clients and ${edits} edits`, () => {
  let gateway: TestGateway
  let admin: Client
  const administrators: string[] = []
  const noteIds: number[] = []
  /** Every answer that was not one of those allowed. */
  const surprises: string[] = []
  const counts = new Map<string, number>()
  before(async () => {
    gateway = await createTestGateway({ extraAreas: [sampleArea] })
    admin = await gateway.client('predefined_admin_write')
    for (let index = 0; index < 8; index++) {
      administrators.push(await gateway.addAdministrator(`shared-${index}`, 'predefined_admin_readonly'))
    }
    await gateway.engine.reconcile()
  })
  after(() => gateway.close())

  const tagOf = async (url: string): Promise<Record<string, string>> => ({
    'if-match': String((await admin('GET', url)).headers.etag),
  })
  const rename = (random: Random, headers = {}): Promise<Answer> => {
    const value = String(random.below(1_000_000))
    const id = random.pick(administrators)
    return admin('PATCH', `/web/admins/local/${id}`, { name: value, comment: value }, headers)
  }
  const setLogMode = (random: Random, headers = {}): Promise<Answer> =>
    admin('PATCH', '/firewall/settings', { log_mode: random.pick(['nothing', 'all', 'selected']) }, headers)
  const noteId = (random: Random): number => {
    const ids = read(gateway.engine.config, notes).map(({ id }) => id)
    return ids.length === 0 ? 1 : random.pick(ids)
  }

  const kinds: Readonly<Record<string, (random: Random, name: string) => Promise<Answer>>> = {
    rename: (random) => rename(random),
    'rename with If-Match': async (random) => rename(random, await tagOf('/web/admins/local')),
    'log mode': (random) => setLogMode(random),
    'log mode with If-Match': async (random) => setLogMode(random, await tagOf('/firewall/settings')),
    'add note': async (random) => {
      const anchor = random.chance(0.5) ? `?anchor_item_id=${noteId(random)}` : ''
      const answer = await admin('POST', `/sample/notes${anchor}`, { title: 'note', comment: '' })
      if (answer.status === 200) noteIds.push(answer.body.id)
      // An anchor that another client removed is an invalid request.
      return answer.status === 422 && anchor !== '' ? { ...answer, status: 200 } : answer
    },
    'change note': (random) =>
      admin('PATCH', `/sample/notes/${noteId(random)}`, { comment: String(random.below(1_000_000)) }),
    'move note': (random) =>
      admin('PATCH', '/sample/notes/move', {
        params: { id: noteId(random), anchor_item_id: noteId(random), insert_after: random.chance(0.5) },
      }),
    'remove note': (random) => admin('DELETE', `/sample/notes/${noteId(random)}`),
    // Through the engine, because a password's hash takes longer than everything else here.
    'add administrator': async (_random, name) => {
      await gateway.addAdministrator(name, 'predefined_admin_readonly')
      return admin('GET', '/web/whoami')
    },
    'remove administrator': (random) => {
      const added = gateway.engine.config['administrators.local'] as { id: string; login: string }[]
      const victims = added.filter(({ login }) => login.startsWith('added-'))
      return admin('DELETE', `/web/admins/local/${victims.length === 0 ? 'none' : random.pick(victims).id}`)
    },
    snat: (random) => admin('PATCH', '/firewall/settings', { automatic_snat_enabled: random.chance(0.5) }),
  }
  const names = Object.keys(kinds)

  it('are answered as if they had come one after the other', async () => {
    let left = edits
    const work = Array.from({ length: clients }, async (_, index) => {
      const random = new Random(seed + index)
      while (left-- > 0) {
        const kind = random.pick(names)
        const { status } = (await kinds[kind]?.(random, `added-${left}`)) ?? { status: 0 }
        counts.set(`${kind} ${status}`, (counts.get(`${kind} ${status}`) ?? 0) + 1)
        if (!allowed[kind]?.includes(status)) surprises.push(`${kind}: ${status}`)
      }
    })
    await Promise.all(work)
    assert.deepEqual(surprises, [], `seed ${seed}`)
  })

  it('conflicted: some changes based on a stale copy were refused', (t) => {
    t.diagnostic(
      [...counts]
        .map(([what, count]) => `${what}: ${count}`)
        .sort()
        .join(', '),
    )
    assert.ok((counts.get('rename with If-Match 412') ?? 0) > 0)
  })

  it('leave memory, disk and the history replayed from nothing equal', async () => {
    await assertWhole(gateway, slots)
    const { engine } = gateway
    const { replayed, loaded } = await readStored(gateway.folder, slots)
    assert.deepEqual(engine.configAt(0), Object.fromEntries(slots.map((slot) => [slot.key, slot.initial])))
    assert.deepEqual(replayed.config, engine.config)
    for (const positions of Object.values(loaded.snapshot.positions)) {
      assert.equal(new Set(positions).size, positions.length, 'two items in one place')
      assert.deepEqual(
        positions.toSorted((a, b) => a - b),
        positions,
      )
    }
    for (const id of administrators) {
      const shared = (engine.config['administrators.local'] as { id: string; name: string; comment: string }[]).find(
        (item) => item.id === id,
      )
      assert.ok(shared && (shared.name === shared.comment || shared.comment === ''), 'half a change is there')
    }
  })

  it('never get a number twice, and the machine has the last change', async () => {
    assert.equal(new Set(noteIds).size, noteIds.length)
    const { body } = await admin('POST', '/sample/notes', { title: 'last', comment: '' })
    assert.ok(body.id > Math.max(0, ...noteIds))
    assert.equal(read(gateway.engine.config, notes).at(-1)?.id, body.id)
    const isOn = read(gateway.engine.config, settings).automatic_snat_enabled
    assert.equal(JSON.stringify(gateway.applier.applied).includes('masquerade'), isOn)
  })

  it('lose no update when each is made on the newest copy', async () => {
    const rounds = isNightly ? 20 : 3
    await admin('PATCH', '/sample/settings', { limit: 1_000 })
    let done = 0
    let refused = 0
    /** Reads, subtracts one, writes; repeated until no other change came in between. */
    const countDown = async (): Promise<void> => {
      for (;;) {
        const { body, headers } = await admin('GET', '/sample/settings')
        const match = { 'if-match': String(headers.etag) }
        const { status } = await admin('PATCH', '/sample/settings', { limit: body.limit - 1 }, match)
        if (status === 200) {
          done++
          return
        }
        assert.equal(status, 412)
        refused++
      }
    }
    const notesNow = read(gateway.engine.config, notes).length
    const workers = Math.min(16, Math.floor((1_000 - notesNow) / rounds))
    await Promise.all(
      Array.from({ length: workers }, async () => {
        for (let round = 0; round < rounds; round++) await countDown()
      }),
    )
    assert.equal((await admin('GET', '/sample/settings')).body.limit, 1_000 - done)
    assert.ok(refused > 0)
    await assertWhole(gateway, slots)
  })
})

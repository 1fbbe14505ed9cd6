// What of the machine gets in the way of the gateway, over the interface: listed, a check, a status, and a doubt in explanations.

import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { createLook } from '../../src/areas/health/jobs.ts'
import { conflictsService } from '../../src/areas/health/service.ts'
import type { Conflict } from '../../src/core/plan/artifacts.ts'
import { say, sentencesIn } from '../../src/shared/said.ts'
import { type Client, createTestGateway, type TestGateway } from '../support/test-gateway.ts'

let gateway: TestGateway
let admin: Client
let look: () => Promise<void>

beforeEach(async () => {
  gateway = await createTestGateway()
  admin = await gateway.client('predefined_admin_write')
  look = createLook(gateway.services)
})
afterEach(() => gateway.close())

async function looks(count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    gateway.clock.advance(10)
    await look()
  }
}

const get = async (path: string) => {
  const answer = await admin('GET', path)
  assert.equal(answer.status, 200, answer.text)
  return answer.body
}

describe('what of the machine gets in the way', () => {
  const ufw: Conflict = {
    code: 'rules.ufw',
    severity: 'fault',
    title: say`The rules of ufw drop what passes through the gateway`,
    detail: say`A packet must pass the rules of both.`,
    fix: 'ufw disable',
  } as const
  const note: Conflict = {
    ...ufw,
    code: 'service.ulogd2',
    severity: 'note',
    title: say`ulogd2.service runs beside the gateway`,
  } as const
  const packet = { protocol: 'tcp', source: '10.10.0.2', destination: '198.51.100.10', destination_port: 80 }
  const explain = async (): Promise<{ is_complete: boolean; incomplete_because: string[] }> =>
    (await admin('POST', '/firewall/explain', { packet: { ...packet, incoming_interface: null } })).body
  const namesOf = async (path: string): Promise<string[]> =>
    ((await get(path)) as unknown as { name: string; status: string }[]).map(({ name, status }) => `${name} ${status}`)

  it('is shown, is a check and a status of its own, and makes explanations uncertain until it is repaired', async () => {
    gateway.applier.foundConflicts = [ufw, note]
    assert.deepEqual(
      await get('/machine/conflicts'),
      [ufw, note].map((one) => ({ ...one, sentences: sentencesIn([one.title, one.detail]) })),
    )
    await looks(1)
    const { checks } = (await get('/health')) as { checks: { id: string; state: string; advice: string }[] }
    const found = checks.filter(({ id }) => id.startsWith('conflict.'))
    assert.deepEqual(
      found.map(({ id, state, advice }) => [id, state, advice]),
      [['conflict.rules.ufw', 'failed', 'Repair it with: ufw disable']],
    )
    assert.ok((await namesOf('/health/status')).includes('conflict-rules.ufw failed'))
    assert.ok((await namesOf('/firewall/status')).includes('rules-of-others failed'))
    const explained = await explain()
    assert.equal(explained.is_complete, false)
    assert.ok(explained.incomplete_because.includes(`${ufw.title}. ${ufw.detail}`))
    gateway.applier.foundConflicts = []
    await looks(2)
    assert.ok(!(await namesOf('/firewall/status')).some((item) => item.startsWith('rules-of-others')))
    assert.deepEqual((await explain()).incomplete_because, [])
  })

  it('is asked for about once a minute while nothing is wrong, and at once when something has failed', async () => {
    let asked = 0
    gateway.applier.conflicts = async () => {
      asked += 1
      return []
    }
    await looks(6)
    assert.equal(asked, 1)
    await looks(1)
    assert.equal(asked, 2)
    assert.deepEqual(await gateway.services.of(conflictsService).follow('the DNS server does not work'), [])
    assert.equal(asked, 3)
  })
})

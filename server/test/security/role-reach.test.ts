// What the lesser roles reach with bodies that fit: every changing call is answered 403 exactly where the access table says
// so, and whatever sequence of calls a role makes, only what its own calls are about has changed.
// Requirements 12 and 13.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { areas } from '../../src/areas/index.ts'
import { mayUse, roleIds } from '../../src/core/contract/access.ts'
import { nameOf } from '../../src/core/contract/endpoint.ts'
import type { Config } from '../../src/core/model/slots.ts'
import { changingEndpoints, fillPath } from '../contract/contract.ts'
import { sample, schemaOf } from '../contract/samples.ts'
import { type Client, createTestGateway, type TestGateway } from '../support/test-gateway.ts'

const lesser = roleIds.filter((role) => role !== 'predefined_admin_write')
const routes = areas.flatMap((area) => area.routes)
/** What a first change of the content filter stores beside it: its first rules, and an authority where there is none. */
const derived = ['content_filter.start', 'web_proxy.authority']
const slots = areas.flatMap((area) => area.slots)

describe('with bodies that fit', () => {
  let gateway: TestGateway
  let admin: Client
  before(async () => {
    gateway = await createTestGateway()
    admin = await gateway.client('predefined_admin_write')
  })
  after(() => gateway.close())

  const calls = changingEndpoints.filter(
    (endpoint) => endpoint.access !== 'public' && nameOf(endpoint) !== 'DELETE /web/auth/login',
  )

  it('every changing call of a lesser role is refused exactly where the access table says so', async () => {
    const counts = { open: 0, done: 0, closed: 0 }
    for (const role of lesser) {
      let client = await gateway.client(role)
      const rights = (await admin('GET', '/web/admins/local')).text
      const before: Config = gateway.engine.config
      for (const endpoint of calls) {
        const body = endpoint.body ? sample(schemaOf(endpoint.body)) : undefined
        const call = [endpoint.method, fillPath(endpoint.path), body] as const
        let answer = await client(...call)
        if (answer.status === 401) {
          client = await gateway.client(role)
          answer = await client(...call)
        }
        const title = `${role} ${nameOf(endpoint)}: ${answer.status} ${answer.text.slice(0, 200)}`
        assert.ok(answer.status < 500 || answer.status === 503, title)
        if (mayUse(role, endpoint.access)) {
          counts.open += 1
          if (answer.status === 200) counts.done += 1
        } else {
          counts.closed += 1
          assert.equal(answer.status, 403, title)
        }
        if (gateway.engine.probation) gateway.engine.confirm()
      }
      const reached = new Set(
        routes
          .filter(({ endpoint, slot }) => slot && mayUse(role, endpoint.access) && endpoint.effect !== 'read')
          .map(({ slot }) => slot?.key),
      )
      const changed = slots.filter((slot) => before[slot.key] !== gateway.engine.config[slot.key]).map(({ key }) => key)
      assert.deepEqual(
        changed.filter((key) => !reached.has(key) && !derived.includes(key)),
        [],
        role,
      )
      assert.equal((await admin('GET', '/web/admins/local')).text, rights, role)
    }
    assert.ok(counts.closed > 1_000 && counts.open > 50 && counts.done > 10, JSON.stringify(counts))
  })
})

// L2: an administrator sees with gw what is wrong and what to do.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { healthService } from '../../src/areas/health/service.ts'
import type { HealthState } from '../../src/core/contract/health.ts'
import { verbatim } from '../../src/shared/said.ts'
import { testPassword } from '../support/test-gateway.ts'
import { type CliWorld, createCliWorld } from './gw-process.ts'

describe('L2: gw health', () => {
  let world: CliWorld
  let state: HealthState = 'ok'
  before(async () => {
    world = await createCliWorld()
    await world.gateway.addAdministrator('root', 'predefined_admin_write')
    const words = ['login', '--address', world.address, '--login', 'root', '--trust']
    assert.equal((await world.gw(words, { input: `${testPassword}\n` })).code, 0)
    const { monitor } = world.gateway.services.of(healthService)
    monitor.add({
      name: 'test',
      check: () => [
        {
          id: 'test.check',
          title: verbatim('Test'),
          state,
          message: verbatim('It is so.'),
          advice: verbatim('Do this.'),
        },
      ],
    })
  })
  after(() => world.close())

  it('shows every check, those that need attention first, and fails when one has failed', async () => {
    const { monitor } = world.gateway.services.of(healthService)
    const early = await world.gw(['health'])
    assert.deepEqual([early.code, early.out], [0, ''])
    assert.match(early.err, /Nothing was checked yet/)
    await monitor.look()
    assert.equal((await world.gw(['health'])).code, 0)
    state = 'failed'
    await monitor.look()
    const { code, out } = await world.gw(['health'])
    assert.equal(code, 1)
    assert.match(out.split('\n')[1] ?? '', /^test\.check +failed .*It is so\. Do this\./)
    const shown = JSON.parse((await world.gw(['health', '--json'])).out)
    assert.deepEqual([shown.state, shown.counts.failed], ['failed', 1])
  })
})

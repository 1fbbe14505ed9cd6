// The status of the decision process: active only when it was seen deciding.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { engineUnit } from '../../core/engine/artifacts.ts'
import { type Config, write } from '../../core/model/slots.ts'
import type { UnitObservation } from '../../core/plan/artifacts.ts'
import { webFilter } from '../../engines/web-filter/index.ts'
import { state } from '../content-filter/public.ts'
import { deciderState, type ProxyView } from './status.ts'

const config: Config = write({}, state, { enabled: true })
const report = { policyDigest: 'a', categories: null, sessions: 0, asked: 1, denied: 0, isAsked: true, faults: [] }

function statusOf(seen: ProxyView['report'], unit: UnitObservation['state'] = 'active'): string {
  const { name } = engineUnit(webFilter, 'web-filter')
  const units = [{ name, state: unit, message: '', pid: 1 }] as const
  const observation = { plane: 'lab', limitation: null, appliedRevision: 1, tables: [], links: [], units } as const
  const machine = { observation, unreachable: '', applyError: null } as const
  return deciderState({ config, machine, now: new Date(), proxy: 'up', report: seen }).status
}

describe('the decision process', () => {
  it('is active when it has rules and the proxy asks it', () => {
    assert.equal(statusOf(report), 'active')
  })

  it('is not active before it reported, nor while the proxy does not ask it', () => {
    assert.equal(statusOf(null), 'activating')
    assert.equal(statusOf({ ...report, isAsked: false }), 'activating')
  })

  it('has failed without rules, whatever else is seen', () => {
    assert.equal(statusOf({ ...report, policyDigest: null }), 'failed')
    assert.equal(statusOf(report, 'failed'), 'failed')
  })
})

// Which web traffic is led to the proxy, from the configuration.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Config, write } from '../../core/model/slots.ts'
import { type Facts, noFacts } from '../../core/plan/facts.ts'
import { defaultRules } from '../content-filter/config.ts'
import { settings as filterSettings, rules, safeSearch, start, state } from '../content-filter/public.ts'
import { antivirus, exclusions, settings } from './config.ts'
import { closedWebPorts, guardedWebPorts, webStage } from './interception.ts'

type ContentRule = (typeof defaultRules)[number]

const labFacts: Facts = {
  ...noFacts,
  interfaces: [
    { name: 'lan0', mac: '02:00:00:00:00:01', addresses: ['10.10.0.1/24'], isUp: true, index: 2 },
    { name: 'wan0', mac: '02:00:00:00:00:02', addresses: ['203.0.113.2/24'], isUp: true, index: 3 },
  ],
  externalInterfaces: ['wan0'],
}
const side = { local: [], near: [] }
const proxy = { direct_enabled: false, direct_port: 3128, logging_enabled: true, on_failure: 'block' } as const
const on = write({}, state, { enabled: true })
const stageOf = (config: Config, facts: Facts = labFacts) => webStage(config, facts, side)
const rulesFor = (...aliases: string[][]): Config => {
  const made = aliases.map(
    (ids, at): ContentRule => ({ ...(defaultRules[0] as ContentRule), id: at + 1, aliases: ids }),
  )
  return write(write(on, start, { defaults_stored: true }), rules, made)
}

describe('interception', () => {
  it('is nothing while the filter and the direct proxy are off', () => {
    assert.equal(stageOf({}), null)
    assert.deepEqual([...guardedWebPorts(null), ...closedWebPorts(null)], [])
  })

  it('is not there for the direct proxy alone, which is closed to external networks', () => {
    const stage = stageOf(write({}, settings, { ...proxy, direct_enabled: true, direct_port: 8888 }))
    assert.equal(stage?.interception, null)
    assert.deepEqual(
      closedWebPorts(stage).map(({ destinationPort }) => destinationPort),
      [8888],
    )
    assert.equal(guardedWebPorts(stage).length, 2)
  })

  it('is for everyone with the rules from the start, and knows the networks behind interfaces', () => {
    const stage = stageOf(on)
    assert.deepEqual([stage?.interception?.isTaking, stage?.interception?.sources], [true, null])
    assert.deepEqual(stage?.networks, [{ device: 'lan0', ranges: [0x0a0a_0000, 0x0a0a_00ff] }])
  })

  it('is for those that enabled rules name, unless something concerns everyone', () => {
    const named = rulesFor(['user.id.5'], ['group.id.2'])
    assert.deepEqual(stageOf(named)?.interception?.sources?.members?.toSorted(), ['group.id.2', 'user.id.5'])
    assert.equal(stageOf(rulesFor(['user.id.5'], ['any']))?.interception?.sources, null)
    for (const slot of [safeSearch, antivirus])
      assert.equal(stageOf(write(named, slot, { enabled: true }))?.interception?.sources, null)
    assert.equal(stageOf(rulesFor())?.interception?.isTaking, false)
  })

  it('leaves out disabled exclusions, and those whose list holds nothing', () => {
    const one = { id: 'a', sources: ['any'], destinations: ['domain.id.9'], comment: '', enabled: true }
    const user = { ...one, id: 'b', sources: ['user.id.5'], destinations: ['any'] }
    const found = (list: (typeof one)[], facts = labFacts) =>
      stageOf(write(on, exclusions, list), facts)?.interception?.exclusions.map(({ origin }) => origin)
    assert.deepEqual(found([one, user, { ...user, id: 'c', enabled: false }]), ['web_proxy.exclusions[b]'])
    const known = { ...labFacts, addressBook: new Map([['domain.id.9', ['192.0.2.9']]]) }
    assert.deepEqual(found([one], known), ['web_proxy.exclusions[a]'])
  })

  it('stops taking while the proxy is down and traffic is to pass, and only then', () => {
    const down: Facts = { ...labFacts, webProxy: 'down' }
    const pass = write(on, settings, { ...proxy, on_failure: 'pass' })
    assert.equal(stageOf(on, down)?.interception?.isTaking, true)
    assert.equal(stageOf(pass)?.interception?.isTaking, true)
    assert.equal(stageOf(pass, down)?.interception?.isTaking, false)
  })

  it('rejects QUIC as the settings say', () => {
    const settled = write(on, filterSettings, { enabled_extended_categorizer: false, quic_reject_enabled: true })
    assert.deepEqual(
      [stageOf(on), stageOf(settled)].map((one) => one?.interception?.rejectsQuic),
      [false, true],
    )
  })
})

// What the path of a packet says of inspection: which profiles look at the connection, or why none does.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { facts as cards, lan, wan } from '../../../test/support/network-samples.ts'
import { addTo } from '../../core/model/lists.ts'
import { type Config, write } from '../../core/model/slots.ts'
import type { Facts } from '../../core/plan/facts.ts'
import { rules as olderRules } from '../application-control/config.ts'
import { profiles as applicationProfiles } from '../application-profiles/config.ts'
import { failures } from '../inspection/config.ts'
import { profiles as preventionProfiles, state as preventionState, template } from '../intrusion-prevention/config.ts'
import { connections } from '../network/config.ts'
import { ipAddresses } from '../objects/config.ts'
import { bypassList } from './config.ts'
import type { ExplainedPacket } from './contract-explain.ts'
import { explainPacket } from './explain.ts'
import { ruleLists } from './lists.ts'
import { policyOf } from './resolve.ts'

const source = '10.10.0.7'
const toWeb: ExplainedPacket = {
  source,
  destination: '198.51.100.9',
  protocol: 'tcp',
  destination_port: 443,
  incoming_interface: 'lan0',
}
const toGateway: ExplainedPacket = { ...toWeb, destination: '10.10.0.1' }

const prevention = { ips_enabled: true, ips_profile: 'ips-1' }
const applications = { dpi_enabled: true, dpi_profile: 'app-1' }

let base: Config = write({}, connections, [lan, wan])
base = write(base, preventionState, { enabled: true })
base = write(base, preventionProfiles, [{ id: 'ips-1', name: 'Strict "one"', comment: '' }])
base = write(base, applicationProfiles, [{ id: 'app-1', name: 'No games', comment: '', protocols: [] }])
base = write(base, ipAddresses, [{ id: 'ip.id.1', title: 'Camera', comment: '', value: source }])

const withRule = (fields: object, table: 'forward' | 'input' = 'forward', config = base): Config =>
  addTo(config, ruleLists[table], 1, { action: 'accept', ...fields })

const older = (fields: object = {}) => ({
  id: 4,
  parent_id: 'x',
  name: 'Old rule',
  action: 'drop' as const,
  comment: '',
  enabled: true,
  aliases: ['any'],
  protocols: ['id.l7.bittorrent'],
  ...fields,
})
const exception = { id: 'e', aliases: ['ip.id.1'], comment: 'The cameras', enabled: true }

function ask(config: Config, packet = toWeb, facts: Facts = cards) {
  const people = { address: source, source: null, destination: null, fields: {}, titles: {} }
  const findOthers = () => ({ members: {}, titles: {} })
  const { outcomes } = explainPacket(config, facts, packet, { ...people, findOthers }, 1_800_000_000)
  const [outcome] = outcomes
  assert.ok(outcome)
  const stages = outcome.steps.map(({ stage }) => stage)
  return {
    stages,
    text: outcome.steps.find(({ stage }) => stage === 'inspection')?.text,
    inspection: outcome.inspection,
  }
}

const ready = (config: Config): Facts => ({
  ...cards,
  inspection: {
    numbers: {},
    rules: null,
    ready: policyOf(config, cards).inspection?.channels.map(({ number }) => number) ?? [],
  },
})

describe('inspection in the path of a packet', () => {
  it('names both profiles, and what happens until the engine is ready', () => {
    const config = withRule({ ...prevention, ...applications })
    const { stages, text, inspection } = ask(config)
    assert.deepEqual(stages.slice(-3), ['forward', 'inspection', 'snat'])
    assert.equal(
      text,
      'The connection is inspected: intrusion prevention with the profile "Strict "one"" and application control with the profile ' +
        '"No games". The inspection engine is not ready for this yet: until it is, it passes without inspection.',
    )
    assert.deepEqual(inspection, {
      ips_profile: 'ips-1',
      dpi_profile: 'app-1',
      application_rule: null,
      on_failure: 'pass',
      ready: false,
    })
  })

  it('says what happens without the engine: one profile that blocks is enough', () => {
    const config = write(withRule({ ...prevention, ...applications }), failures, [{ id: 'app-1', on_failure: 'block' }])
    const { text, inspection } = ask(config, toWeb, ready(config))
    assert.match(text ?? '', /While the inspection engine does not run, it is dropped\.$/)
    assert.deepEqual([inspection?.on_failure, inspection?.ready], ['block', true])
    const passing = withRule(prevention)
    assert.match(ask(passing, toWeb, ready(passing)).text ?? '', /does not run, it passes without inspection\.$/)
  })

  it('names the template by its name, and inspects what is for the gateway', () => {
    const config = withRule({ ips_enabled: true, ips_profile: template.id }, 'input')
    const { stages, text } = ask(config, toGateway)
    assert.deepEqual(stages.slice(-2), ['input', 'inspection'])
    assert.match(text ?? '', /with the profile "Template"\./)
  })

  it('says why there is none', () => {
    const used = withRule({ ...prevention, protocol: 'protocol.udp' })
    const plain = addTo(used, ruleLists.forward, 2, { action: 'accept' })
    assert.equal(ask(plain).text, 'The connection is not inspected: FORWARD rule 2 does not ask for inspection.')
    assert.equal(
      ask(used).text,
      'The connection is not inspected: it is accepted by default, and only rules ask for inspection.',
    )
    const off = write(withRule(prevention), preventionState, { enabled: false })
    assert.equal(
      ask(off).text,
      'The connection is not inspected: FORWARD rule 1 asks for intrusion prevention, which is switched off.',
    )
    for (const config of [used, plain, off]) assert.equal(ask(config).inspection, null)
    const dropped = addTo(used, ruleLists.forward, 2, { action: 'drop' })
    assert.equal(ask(dropped).text, undefined, 'what is dropped is not inspected, which needs no word')
    assert.equal(ask(base).text, undefined, 'nothing is inspected anywhere')
  })

  it('names the exception and its objects, which is for forwarded traffic alone', () => {
    const config = write(withRule(prevention), bypassList, [exception])
    assert.equal(ask(config).text, 'The connection is not inspected: the exception "The cameras" is for "Camera".')
    assert.equal(ask(config).inspection, null)
    const toSelf = withRule(prevention, 'input', config)
    assert.notEqual(ask(toSelf, toGateway).inspection, null)
    const disabled = write(config, bypassList, [{ ...exception, enabled: false }])
    assert.notEqual(ask(disabled).inspection, null)
  })

  it('older application control rules add to what firewall rules ask for, and look at what is accepted by default', () => {
    const alone = write(base, olderRules, [older()])
    assert.match(ask(alone).text ?? '', /inspected: the application control rules, from "Old rule" on\./)
    assert.deepEqual(ask(alone).inspection?.application_rule, 4)
    const both = ask(withRule(prevention, 'forward', alone))
    assert.match(both.text ?? '', /intrusion prevention with the profile .* and the application control rules, from/)
    const named = ask(withRule(applications, 'forward', alone)).inspection
    assert.deepEqual(
      [named?.dpi_profile, named?.application_rule],
      ['app-1', null],
      'a profile of the rule is instead of them',
    )
    const others = write(base, olderRules, [older({ aliases: [] })])
    assert.equal(ask(others).inspection, null)
    assert.equal(ask(alone, toGateway).inspection, null)
  })
})

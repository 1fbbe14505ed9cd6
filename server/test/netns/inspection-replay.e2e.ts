// Recorded attacks and ordinary traffic through the gateway with all signatures on: every attack is stopped and told once, and
// of the ordinary exchanges none is held up or told.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { starterFile } from '../../src/areas/intrusion-prevention/runs/signature-files.ts'
import type { Traffic } from '../signatures/capture.ts'
import { cases } from '../signatures/cases.ts'
import { ordinary } from '../signatures/ordinary.ts'
import { client } from '../support/firewall-lab.ts'
import { InspectionLab, type ShownEvent } from '../support/inspection-lab.ts'
import { isConversation, type Replayed } from '../support/replay.ts'
import { until } from '../support/until.ts'

const sids = new Map(
  [...readFileSync(starterFile, 'utf8').matchAll(/\(msg:"([^"]+)".*\bsid:(\d+);/g)].map(([, name, sid]) => [
    name ?? '',
    Number(sid),
  ]),
)

const attacks = Object.entries(cases).filter((entry): entry is [string, Traffic] => isConversation(entry[1]))

describe('recorded traffic through a gateway that drops what any signature sees', () => {
  let lab: InspectionLab
  let stopped: readonly Replayed[]
  before(async () => {
    lab = await InspectionLab.start()
    const profile = await lab.addProfileForAll('Everything', 'drop')
    await lab.inspectClient({ ips_enabled: true, ips_profile: profile })
    await lab.switchOn()
    await lab.isReady(1)
  })
  after(() => lab.stop())

  /** The client's port tells which conversation an event is about. */
  const eventsOf = (events: readonly ShownEvent[], { ports }: Replayed): readonly ShownEvent[] =>
    events.filter(({ src_port, dst_port }) => ports.includes(src_port) || ports.includes(dst_port))

  it('stops every attack', async () => {
    assert.ok(attacks.length >= 60)
    stopped = await lab.replayAttacks(attacks.map(([, traffic]) => traffic))
    const through = attacks.flatMap(([name], at) => {
      const one = stopped[at]
      // A reset would be the work of someone else: a drop is silent.
      return one?.client === 'stalled' ? [] : [`${name}: ${one?.detail}`]
    })
    assert.deepEqual(through, [])
  })

  it('tells each of them once, as blocked', async () => {
    const wanted = attacks.map(([name]) => `${sids.get(name)} ${name}: blocked`)
    const told = async (): Promise<readonly string[]> => {
      const events = await lab.events()
      return attacks.map(([name], at) => {
        const one = stopped[at]
        const own = one === undefined ? [] : eventsOf(events, one).filter(({ signature }) => signature === name)
        const kinds = own.map(({ signature_id, result }) => `${signature_id} ${name}: ${result}`)
        return kinds.join(' + ') || `${name}: nothing`
      })
    }
    await until('every attack is in the journal', async () => !(await told()).some((text) => text.endsWith('nothing')))
    assert.deepEqual(await told(), wanted)
  })

  it('lets all ordinary exchanges through, and tells nothing about them', async () => {
    assert.ok(ordinary.length >= 500)
    const passed = await lab.replayOrdinary(ordinary)
    const held = passed.flatMap(({ client, detail }, at) =>
      client === 'completed' ? [] : [`${shown(ordinary[at])}: ${client} (${detail})`],
    )
    assert.deepEqual(held, [])
    // An attack after all of them: when it is told, they would have been.
    const [last] = await lab.replayAttacks([cases['SCAN sqlmap at work'] as Traffic])
    assert.ok(last)
    let events: readonly ShownEvent[] = []
    await until('the last attack is in the journal', async () => {
      events = await lab.events()
      return eventsOf(events, last).length > 0
    })
    const told = passed.flatMap((one, at) =>
      eventsOf(events, one).map(({ signature }) => `${signature}: ${shown(ordinary[at])}`),
    )
    assert.deepEqual(told, [])
  })

  it('has the packets of an attack, with those before the one that was found', async () => {
    const event = (await lab.events()).findLast(({ signature }) => signature === 'SCAN sqlmap at work')
    assert.ok(event)
    const path = `/security_events/journal/${event.id}`
    const { packet, signature_text, firewall_rule } = await lab.api.ok('GET', path)
    assert.match(signature_text, /sqlmap/)
    assert.equal(firewall_rule?.exists, true)
    const { status, headers, body } = await lab.api.call('GET', `${path}/capture`)
    assert.deepEqual([status, headers['content-type']], [200, 'application/vnd.tcpdump.pcap'])
    assert.match(body, /sqlmap/)
    // The headers of the file and of the packet are 40 bytes; a SYN is as long.
    assert.ok(body.length > Buffer.from(packet, 'base64').length + 40 + 40, 'the packet of the event alone')
  })

  it('lets an attack pass after an exception of its event, also in a first datagram, and no other', async () => {
    const excepted = ['SCAN sqlmap at work', 'AMPLIFIER Memcached']
    const events = await lab.events()
    for (const name of excepted) {
      const event = events.find(({ signature }) => signature === name)
      assert.ok(event, name)
      const side = event.src_ip === client ? 'source' : 'destination'
      await lab.api.ok('POST', `/security_events/journal/${event.id}/exception`, { kind: 'signature', side })
    }
    const traffic = excepted.map((name) => cases[name] as Traffic)
    await until('the excepted attacks pass', async () => {
      const passed = await lab.replayAttacks(traffic)
      return passed.every((one) => one.client === 'completed')
    })
    const [other] = await lab.replayAttacks([cases['SCAN SNMP with the community public'] as Traffic])
    assert.equal(other?.client, 'stalled')
  })
})

const shown = (traffic: Traffic | undefined): string =>
  JSON.stringify(traffic?.turns[0]?.data.toString('latin1').slice(0, 100))

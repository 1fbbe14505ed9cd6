// Events of the inspection engine as records: with the firewall rule of their connection, each once, and bounded in a flood.

import assert from 'node:assert/strict'
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { eventLine, inspectedLine, recordedEvents } from '../../../../test/support/inspection-lines.ts'
import type { NewRecord } from '../../../domain/logs/record.ts'
import type { Sink } from '../../../domain/logs/source.ts'
import type { Follower } from './following.ts'
import { HitKnowledge } from './hit-knowledge.ts'
import { createHitsFollower } from './hits-follower.ts'
import { InspectedConnections } from './inspected-connections.ts'
import { createEventsFollower } from './security-events.ts'
import { SeenEvents } from './seen-events.ts'

describe('security events', () => {
  let folder = ''
  let now = 0
  let records: NewRecord[] = []
  let marks = new Map<string, string>()
  let inspected = new InspectedConnections()
  let knowledge = new HitKnowledge()
  const sink: Sink = {
    append: (added, mark) => {
      records.push(...added)
      if (mark) marks.set(mark.source, mark.position)
    },
    marks: () => marks,
  }
  const [events, hits] = ['inspection.json', 'hits.json']
  const pathOf = (name: string): string => join(folder, name)
  const openEvents = (): Follower =>
    createEventsFollower({ path: pathOf(events), knowledge, inspected, sink, now: () => now })
  const openHits = (): Follower =>
    createHitsFollower({ path: pathOf(hits), knowledge, inspected, sink, now: () => now })
  const look = (...followers: readonly Follower[]): void => {
    for (const follower of followers) while (follower.step());
  }
  const found = () => records.filter(({ kind }) => kind === 'security')

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'portcullis-events-'))
    now = 1_000_000
    records = []
    marks = new Map()
    inspected = new InspectedConnections()
    knowledge = new HitKnowledge()
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  it('have the rule of their connection, also of an answer, and the line of the rule is neither a hit nor lost', () => {
    appendFileSync(pathOf(hits), inspectedLine() + inspectedLine({ rule: 'INP 3', sourcePort: 41_000 }))
    const turned = { src_ip: '192.0.2.9', src_port: 80, dest_ip: '10.0.0.7', dest_port: 41_000 }
    appendFileSync(pathOf(events), eventLine() + eventLine({ changed: { ...turned, flow: {}, direction: '' } }))
    const followers = [openHits(), openEvents()]
    look(...followers)
    assert.deepEqual(
      found().map(({ fields }) => [fields.table, fields.rule_id, fields.rule, fields.in_interface]),
      [
        ['FWD', 12, 'fwd.12', 'lan0'],
        ['INP', 3, 'inp.3', 'lan0'],
      ],
    )
    now += 10_000
    look(...followers)
    assert.equal(records.length, 2, 'no hit, and nothing lost')
  })

  it('wait a moment for the line of their rule, and not longer', () => {
    const followers = [openHits(), openEvents()]
    appendFileSync(pathOf(events), eventLine())
    look(...followers)
    assert.deepEqual(found(), [])
    appendFileSync(pathOf(hits), inspectedLine())
    look(...followers)
    assert.deepEqual([found()[0]?.fields.rule], ['fwd.12'])
    appendFileSync(pathOf(events), eventLine({ sourcePort: 5 }))
    look(...followers)
    now += 399
    look(...followers)
    assert.equal(found().length, 1)
    now += 1
    look(...followers)
    assert.deepEqual([found()[1]?.fields.rule, found()[1]?.fields.rule_id], ['', -1])
  })

  it('are read once each, over a restart while some wait, and broken lines are counted', () => {
    appendFileSync(pathOf(events), eventLine({ sid: 1 }) + eventLine({ sid: 2 }).slice(0, 80))
    look(openEvents())
    assert.deepEqual(found(), [], 'waits for its rule, and is not marked as read')
    appendFileSync(pathOf(events), `${eventLine({ sid: 2 }).slice(80)}{"event_type":\nno line\n`)
    const second = openEvents()
    look(second)
    now += 1_000
    look(second, openEvents())
    assert.deepEqual(
      found().map(({ fields }) => fields.sid),
      [1, 2],
    )
    assert.deepEqual(
      records.filter(({ kind }) => kind === 'system').map(({ message }) => message),
      ['2 lines of the events of the inspection engine could not be read.'],
    )
  })

  it('have the profile of their channel, users, countries, group and tactic, and applications by name', () => {
    const person = { login: 'ada', name: 'Ada L.', group: 'Office', id: 'user.id.5', session: 's-1' }
    knowledge.learn({
      time: 0,
      people: [['10.0.0.7', person]],
      zones: new Map([['lan0', 'LAN']]),
      channels: new Map([
        [4, { prevention: { id: 'p-1', name: 'Strict' }, applications: { id: 'a-1', name: 'No torrents' } }],
      ]),
      applications: new Map([[7, { id: 'id.l7.bittorrent', name: 'BitTorrent' }]]),
      signatures: {
        sids: Uint32Array.of(5, 2_000_001),
        words: ['', 'trojan-activity', 'TA0011'],
        classtypes: Uint16Array.of(0, 1),
        tactics: Uint16Array.of(0, 2),
      },
    })
    appendFileSync(pathOf(hits), inspectedLine())
    const application = { gid: 10, sid: 900_000_703, msg: 'APP', category: '' }
    appendFileSync(pathOf(events), eventLine({ channel: 4 }) + eventLine({ channel: 4, ...application }))
    look(openHits(), openEvents())
    const [signature, denied] = found()
    const of = (record: NewRecord | undefined, ...names: string[]) => names.map((name) => record?.fields[name])
    assert.deepEqual(
      of(signature, 'module', 'profile_id', 'profile', 'classtype', 'tactic', 'src_user_id', 'src_zone'),
      [...['ips', 'p-1', 'Strict', 'trojan-activity', 'TA0011', 'user.id.5', 'LAN']],
    )
    assert.deepEqual(of(denied, 'module', 'profile_id', 'signature', 'application', 'severity'), [
      'application',
      'a-1',
      'BitTorrent',
      'id.l7.bittorrent',
      4,
    ])
    assert.equal(denied?.message, '10.0.0.7:40000 -> 192.0.2.9:80 [BitTorrent] = DROP')
    assert.equal(signature?.message, '[2:2000001:4] WEB attack {TCP} 10.0.0.7:40000 -> 192.0.2.9:80 blocked')
    assert.equal(denied?.unit, '{brand}-app-stats')
  })

  it('of a real engine are all read, without those about channels', () => {
    appendFileSync(pathOf(events), `${recordedEvents.join('\n')}\n`)
    const follower = openEvents()
    look(follower)
    now += 1_000
    look(follower)
    assert.equal(found().length, recordedEvents.filter((line) => !line.includes('"gid":9,')).length)
    assert.equal(records.length, found().length)
  })

  it('that were blocked come once for a connection and a signature, and those that only were reported every time', () => {
    const lines = [
      { flow: 1 },
      { flow: 1 },
      { flow: 2 },
      { flow: 1, sid: 7 },
      { flow: 1, gid: 3 },
      { flow: 2 },
      { flow: 3, isBlocked: false },
      { flow: 3, isBlocked: false },
      { flow: 3 },
      { flow: 4, gid: 10, sid: 900_000_703 },
      { flow: 4, gid: 10, sid: 900_000_704 },
      { flow: 4, gid: 10, sid: 900_000_801 },
    ]
    const follower = openEvents()
    for (const line of lines) {
      appendFileSync(pathOf(events), eventLine(line))
      look(follower)
      now += 1_000
      look(follower)
    }
    assert.deepEqual(
      found().map(({ fields }) => [fields.flow_id, fields.gid, fields.sid, fields.result].join(' ')),
      [
        '1 2 2000001 blocked',
        '2 2 2000001 blocked',
        '1 2 7 blocked',
        '1 3 2000001 blocked',
        '3 2 2000001 allowed',
        '3 2 2000001 allowed',
        '3 2 2000001 blocked',
        '4 10 900000703 blocked',
        '4 10 900000801 blocked',
      ],
    )
  })

  it('come in small portions in a flood of 200,000, each once', () => {
    const line = eventLine({ isBlocked: false, changed: { packet: '', payload_printable: '' } })
    const portion = line.repeat(2_000)
    const follower = openEvents()
    let [taken, largest] = [0, 0]
    const counting = sink.append
    sink.append = (added, mark) => {
      taken += added.length
      largest = Math.max(largest, added.length)
      if (mark) marks.set(mark.source, mark.position)
    }
    for (let round = 0; round < 100; round++) {
      appendFileSync(pathOf(events), portion)
      look(follower)
    }
    now += 1_000
    look(follower)
    sink.append = counting
    assert.equal(taken, 200_000)
    assert.ok(largest <= 2_000, String(largest))
  })
})

describe('connections that are inspected', () => {
  const hit = (port: number, rule = '1') => ({
    time: 0,
    table: 'FWD',
    rule,
    action: 'inspect',
    protocol: 'TCP',
    source: '10.0.0.1',
    sourcePort: port,
    destination: 'fd77:0:0:0:0:0:0:2',
    destinationPort: 80,
    input: 'a',
    output: 'b',
    length: 60,
  })

  it('are at most so many, the oldest go first, and one that comes again is new', () => {
    const known = new InspectedConnections(3)
    for (const port of [1, 2, 3, 1, 4]) known.note(hit(port))
    assert.equal(known.size, 3)
    const has = (port: number): boolean => known.find(hit(port)) !== undefined
    assert.deepEqual([1, 2, 3, 4].map(has), [true, false, true, true])
    for (let port = 5; port < 1_000; port++) {
      known.note(hit(port))
      if (port % 7 === 0) known.note(hit(port - 1))
      assert.equal(known.size, 3)
    }
    assert.deepEqual([996, 997, 998, 999].map(has), [false, true, true, true])
    known.note(hit(4))
    known.note(hit(4, '9'))
    assert.equal(known.find({ ...hit(4), destination: 'fd77::2' })?.rule, '9')
  })
})

describe('events that were told', () => {
  const told = (flowId: string) => ({ flowId, gid: 2, sid: 1, application: null, isBlocked: true })

  it('are at most so many, and those that were not seen for longest are forgotten', () => {
    const seen = new SeenEvents(2)
    const isRepeated = (flow: string): boolean => seen.isRepeated(told(flow))
    assert.deepEqual(['a', 'b', 'a', 'c', 'a', 'b'].map(isRepeated), [false, false, true, false, true, false])
    const many = Array.from({ length: 1_000 }, (_, index) => `n${index}`)
    assert.ok(!many.some(isRepeated))
    assert.deepEqual(['n997', 'n999', 'n998'].map(isRepeated), [false, true, false])
  })

  it('have a connection: without one each is told', () => {
    const seen = new SeenEvents()
    assert.deepEqual([seen.isRepeated(told('')), seen.isRepeated(told(''))], [false, false])
  })
})

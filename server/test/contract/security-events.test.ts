// Security events: the journal and its reports against a count by hand, one event, its packets, and exceptions as one change.

import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { createCaptureRing } from '../../src/areas/inspection/runs/captures.ts'
import { logsService } from '../../src/areas/logs/service.ts'
import { parseEveLine } from '../../src/domain/signatures/eve-line.ts'
import { HitKnowledge } from '../../src/gatewayd/logs/sources/hit-knowledge.ts'
import { InspectedConnections } from '../../src/gatewayd/logs/sources/inspected-connections.ts'
import { securityRecord } from '../../src/gatewayd/logs/sources/security-events.ts'
import type { CapturedPacket } from '../../src/shared/net/pcap.ts'
import { printPcap } from '../../src/shared/net/pcap.ts'
import { type EventParts, eventLine, packetOf } from '../support/inspection-lines.ts'
import { createStoredLogs } from '../support/stored-logs.ts'
import { type Client, createTestGateway, type TestGateway } from '../support/test-gateway.ts'

const templateId = '__DEFAULT_IPS_PROFILE_ID__'
const rule =
  'drop http any any -> any 80 (msg:"WEB attack"; flow:to_server; http.uri; content:"/evil"; classtype:trojan-activity; sid:5001; rev:4;)'

describe('security events', () => {
  let folder = ''
  let gateway: TestGateway
  let admin: Client
  /** Unix seconds. */
  let now = 0
  let profileId = ''
  const written: EventParts[] = []

  const knowledge = new HitKnowledge()
  const inspected = new InspectedConnections()
  const add = async (...events: readonly EventParts[]): Promise<void> => {
    const logs = gateway.services.of(logsService)
    logs.append(
      events.map((parts) => {
        const read = parseEveLine(eventLine(parts).trimEnd())
        assert.ok(read.is === 'alert')
        return securityRecord(read.alert, knowledge, inspected)
      }),
    )
    await logs.flush()
  }
  const get = async (path: string, query: object = {}) => {
    const search = new URLSearchParams(
      Object.entries(query).map(([name, value]) => [
        name,
        typeof value === 'object' ? JSON.stringify(value) : String(value),
      ]),
    )
    const answer = await admin('GET', `/security_events${path}?${search}`)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body
  }
  const equals = (column_name: string, ...value: (string | number)[]) => [
    { items: [{ column_name, operator: 'equals', value }] },
  ]
  const idOf = async (sourcePort: number): Promise<string> =>
    (await get('/journal', { filter: equals('src_port', sourcePort), limit: 1 })).data[0].id
  const exceptionOf = (id: string, body: object) => admin('POST', `/security_events/journal/${id}/exception`, body)

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'portcullis-security-'))
    mkdirSync(join(folder, 'log'))
    mkdirSync(join(folder, 'captures'))
    const captures = createCaptureRing(join(folder, 'captures'))
    gateway = await createTestGateway({ parts: { logs: createStoredLogs(folder), captures } })
    admin = await gateway.client('predefined_admin_write')
    now = Math.floor(Date.now() / 1000)
    const profile = await admin('POST', '/ips/profiles', { name: 'Strict', comment: '' })
    profileId = profile.body.id
    assert.equal((await admin('POST', '/ips/custom', { comment: '', rule })).status, 200)
    const body = { filters: [{ key: 'classtype', operator: 'equals', values: ['trojan-activity'] }], action: 'drop' }
    assert.equal((await admin('POST', `/ips/profiles/${profileId}/rules`, { ...body, comment: '' })).status, 200)
    const none = { id: '', name: '' }
    knowledge.learn({
      time: 0,
      channels: new Map([
        [1, { prevention: { id: profileId, name: 'Strict' }, applications: none }],
        [2, { prevention: { id: templateId, name: 'Template' }, applications: { id: 'a-1', name: 'Apps' } }],
      ]),
      applications: new Map([[36, { id: 'id.l7.bittorrent', name: 'BitTorrent' }]]),
    })
    for (let index = 0; index < 300; index++)
      written.push({
        at: now - 1 - ((index * 37) % 72_000),
        sid: 5001 + (index % 3),
        severity: 1 + (index % 3),
        isBlocked: index % 4 === 0,
        source: `10.0.0.${index % 5}`,
        sourcePort: 20_000 + index,
        channel: 1 + (index % 2),
      })
    const denied = { gid: 10, sid: 900_003_601, category: '', sourcePort: 30_000, channel: 2, at: now - 1 }
    written.push(denied)
    await add(...written)
  })
  after(async () => {
    await gateway.close()
    rmSync(folder, { recursive: true, force: true })
  })

  it('are in the journal, each once, with pages, filters and CSV', async () => {
    const { data, rows_before_limit_at_least: total } = await get('/journal', { limit: 1_000 })
    assert.equal(total, written.length)
    assert.equal(new Set(data.map(({ src_port }: { src_port: number }) => src_port)).size, written.length)
    const blocked = await get('/journal', { filter: equals('result', 'blocked'), limit: 1 })
    assert.equal(blocked.rows_before_limit_at_least, written.filter(({ isBlocked }) => isBlocked !== false).length)
    const csv = await admin('GET', '/security_events/journal?format_type=CSV')
    assert.equal(csv.text.trimEnd().split('\n').length, written.length + 1)
    const [app] = (await get('/journal', { filter: equals('module', 'application'), limit: 1 })).data
    assert.deepEqual(
      [app.application, app.signature, app.profile, app.table],
      [...['id.l7.bittorrent', 'BitTorrent', 'Apps', 'absent']],
    )
  })

  it('are counted by signature, profile, host and more, with names of today', async () => {
    const period = { from: now - 90_000, until: now + 1 }
    const top = await get('/top', { kind: 'signatures', ...period })
    const count = (holds: (parts: EventParts) => boolean): number => written.filter(holds).length
    const first = top.data.find(({ value }: { value: string }) => value === '5001')
    assert.deepEqual(first, {
      value: '5001',
      title: 'WEB attack',
      events: count(({ sid }) => sid === 5001),
      blocked: count(({ sid, isBlocked }) => sid === 5001 && isBlocked !== false),
    })
    assert.deepEqual(top.total, {
      events: written.length,
      blocked: count(({ isBlocked }) => isBlocked !== false),
    })
    const profiles = await get('/top', { kind: 'profiles', ...period })
    assert.deepEqual(profiles.data.map(({ title }: { title: string }) => title).sort(), ['', 'Strict', 'Template'])
    for (const kind of ['sources', 'destinations', 'classtypes', 'tactics', 'countries', 'rules', 'results'])
      assert.ok((await get('/top', { kind, ...period })).data.length > 0, kind)
    const limited = await get('/top', { kind: 'sources', limit: 2, ...period, filter: equals('severity', 2) })
    assert.equal(limited.data.length, 2)
  })

  it('are counted by hour, with their severities', async () => {
    const steps = await get('/timeline', { from: now - 90_000, until: now + 1 })
    const sum = (name: string): number => steps.reduce((total: number, step: never) => total + step[name], 0)
    assert.equal(sum('events'), written.length)
    assert.equal(sum('blocked') + sum('allowed'), written.length)
    assert.deepEqual([sum('critical'), sum('important'), sum('warning'), sum('unclassified')], [100, 100, 100, 1])
  })

  it('are shown with payload, signature and rule, and not when there is none with the id', async () => {
    const shown = await get(`/journal/${await idOf(20_000)}`)
    assert.deepEqual([shown.event.signature_id, shown.action, shown.signature_text], [5001, 'drop', rule])
    assert.equal(shown.payload, 'GET /evil HTTP/1.1..')
    assert.deepEqual([shown.exceptions, shown.no_exception, shown.firewall_rule], [['signature', 'address'], '', null])
    const template = await get(`/journal/${await idOf(20_003)}`)
    assert.deepEqual(template.exceptions, ['address'])
    assert.match(template.no_exception, /Copy it/)
    for (const id of ['security.999999', 'firewall.1', 'x', 'security.1e9', '..%2f..'])
      for (const rest of ['', '/capture'])
        assert.equal((await admin('GET', `/security_events/journal/${id}${rest}`)).status, 404, id)
  })

  it('have their packets: those of the connection from the ring, otherwise their own, otherwise none', async () => {
    const at = now - 100
    await add({ at, sourcePort: 31_000 }, { at, sourcePort: 31_001, changed: { packet: '' } })
    const capture = async (port: number) => {
      const path = `/security_events/journal/${await idOf(port)}/capture`
      const headers = { cookie: admin.cookie }
      const { statusCode: status, rawPayload: bytes } = await gateway.http.inject({ method: 'GET', url: path, headers })
      return { status, bytes, message: status === 200 ? '' : String(JSON.parse(bytes.toString()).message) }
    }
    const own = packetOf('10.0.0.7', 31_000, '192.0.2.9', 80, 'GET /evil')
    const alone = await capture(31_000)
    assert.deepEqual(alone.bytes, printPcap([{ time: at * 1_000_000, length: own.length, bytes: own }]))
    const gone = await capture(31_001)
    assert.equal(gone.status, 404)
    assert.match(gone.message, /not kept any more/)

    const packet = (time: number, bytes: Buffer): CapturedPacket => ({
      time: time * 1_000_000,
      length: bytes.length,
      bytes,
    })
    const answer = packetOf('192.0.2.9', 80, '10.0.0.7', 31_000, 'no')
    const other = packetOf('10.0.0.7', 31_002, '192.0.2.9', 80, 'other')
    const ring = [
      packet(at - 500, own),
      packet(at - 1, own),
      packet(at, other),
      packet(at, answer),
      packet(at + 500, own),
    ]
    // A file that is cut, as the engine writes it, and what is not a capture at all.
    writeFileSync(join(folder, 'captures', 'ring.1'), printPcap(ring).subarray(0, -3))
    writeFileSync(join(folder, 'captures', 'noise'), 'x'.repeat(5_000))
    assert.deepEqual((await capture(31_000)).bytes, printPcap([packet(at - 1, own), packet(at, answer)]))
  })

  it('become an exception of their signature in one change, which can be undone', async () => {
    const id = await idOf(20_000)
    const revisions = async (): Promise<number> => gateway.services.engine.revision
    const earlier = await revisions()
    const dry = await admin('POST', `/security_events/journal/${id}/exception?dry_run=true`, { kind: 'signature' })
    assert.ok(dry.status < 500, dry.text)
    const made = await exceptionOf(id, { kind: 'signature', comment: 'Our scanner' })
    assert.equal(made.status, 200, made.text)
    assert.equal(await revisions(), earlier + 1)
    const { sid, profile_id, profile_rule_id } = made.body
    assert.deepEqual([sid, profile_id], [900_000, profileId])
    const { signature } = (await admin('GET', `/ips/signatures/${sid}`)).body
    assert.match(signature, /^pass http 10\.0\.0\.0 any -> 192\.0\.2\.9 80 \(msg:"Exception: WEB attack"; /)
    const rules = (await admin('GET', `/ips/profiles/${profileId}/rules`)).body
    assert.deepEqual([rules[0].id, rules[0].action, rules[0].filters[0].values], [profile_rule_id, 'default', [sid]])
    assert.equal(rules.length, 2)
    const decided = (await admin('GET', `/ips/profiles/${profileId}/signatures`)).body.signatures
    const actions = new Map(decided.map((one: { sid: number; action: string }) => [one.sid, one.action]))
    assert.deepEqual([actions.get(sid), actions.get(5001)], ['pass', 'drop'])
    const undone = await admin('POST', `/config/revisions/${earlier + 1}/undo`)
    assert.equal(undone.status, 200, undone.text)
    assert.equal((await admin('GET', `/ips/signatures/${sid}`)).status, 404)
    assert.equal((await admin('GET', `/ips/profiles/${profileId}/rules`)).body.length, 1)
    const second = await exceptionOf(id, { kind: 'signature', side: 'destination' })
    assert.match(
      (await admin('GET', `/ips/signatures/${second.body.sid}`)).body.signature,
      /^pass http any any -> 192\.0/,
    )
  })

  it('become no exception of the template, of an application, or of a signature that is gone', async () => {
    const refused = async (port: number, body: object = { kind: 'signature' }) => {
      const answer = await exceptionOf(await idOf(port), body)
      return [answer.status, answer.body.message]
    }
    assert.match(String((await refused(20_003))[1]), /Copy it, name the copy/)
    assert.equal((await refused(20_003))[0], 409)
    assert.equal((await refused(30_000))[0], 409)
    assert.equal((await refused(20_002))[0], 409, 'sid 5003 is not known')
    assert.equal((await refused(20_000, { kind: 'address', side: 'both' }))[0], 422)
    assert.equal((await refused(20_000, { kind: 'other' }))[0], 422)
    assert.equal((await exceptionOf('security.99999999', { kind: 'address' })).status, 404)
  })

  it('become an exception of a host, with its object', async () => {
    const made = await exceptionOf(await idOf(20_001), { kind: 'address' })
    assert.equal(made.status, 200, made.text)
    const list = (await admin('GET', '/ips/bypass')).body
    const [object] = list.find(({ id }: { id: string }) => id === made.body.bypass_id).aliases
    const again = await exceptionOf(await idOf(20_006), { kind: 'address', side: 'source' })
    const both = (await admin('GET', '/ips/bypass')).body
    assert.deepEqual(both.find(({ id }: { id: string }) => id === again.body.bypass_id).aliases, [object])
  })
})

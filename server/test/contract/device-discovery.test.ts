// Device discovery with a whole gateway around it: hosts become users once, in few changes, within limits, also over restarts;
// state and list show what is known.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { type Discovery, mostPerMinute, startDiscovery } from '../../src/areas/device-discovery/jobs.ts'
import { createCardVendors } from '../../src/areas/device-discovery/runs/card-vendors.ts'
import type { LiveElement } from '../../src/core/plan/artifacts.ts'
import type { GivenLease } from '../../src/core/plan/facts.ts'
import { type Client, createTestGateway, type TestGateway } from '../support/test-gateway.ts'
import { until } from '../support/until.ts'

interface Shown {
  readonly [field: string]: unknown
}

describe('device discovery', () => {
  let gateway: TestGateway
  let admin: Client
  let discovery: Discovery
  let faults: unknown[]
  let leases: GivenLease[]
  let folder: string

  beforeEach(async () => {
    faults = []
    leases = []
    folder = mkdtempSync(join(tmpdir(), 'portcullis-discovery-'))
    writeFileSync(join(folder, 'oui.txt'), '00-22-72   (hex)\t\tMaker of Cards\r\n')
    gateway = await createTestGateway({
      parts: {
        deviceDiscovery: { state: () => discovery.state() },
        cardVendors: createCardVendors([join(folder, 'oui.txt')]),
        dhcpLeases: { list: async () => leases },
      },
    })
    await begin()
  })
  afterEach(async () => {
    discovery.stop()
    await gateway.close()
    rmSync(folder, { recursive: true })
  })

  const begin = async (): Promise<void> => {
    discovery = startDiscovery(gateway.services, (error) => faults.push(error), 1)
    admin = await gateway.client('predefined_admin_write')
  }
  const ok = async (method: string, path: string, body?: unknown) => {
    const answer = await admin(method, path, body)
    assert.equal(answer.status, 200, `${method} ${path}: ${answer.text}`)
    return answer.body
  }
  const enable = (more: object = {}) => ok('PATCH', '/netscan_backend/settings', { enabled: true, ...more })
  const enforce = () => ok('PATCH', '/auth/settings', { allow_internet_to_everyone: false })
  const macOf = (number: number): string => `00:22:72:00:${hex(number >> 8)}:${hex(number & 255)}`
  const hex = (byte: number): string => byte.toString(16).padStart(2, '0')
  const host = (ip: string, mac: string, device = 'lan0'): LiveElement => ({ address: ip, mac, device, seconds: null })
  /** They answered the gateway, so the neighbour table has them. */
  const meet = (...hosts: readonly LiveElement[]): void => {
    const rows = hosts.map(({ address, mac, device }) => ({
      dst: address,
      dev: device,
      lladdr: mac,
      state: ['REACHABLE'],
    }))
    gateway.applier.neighbourTable = JSON.stringify(rows)
  }
  const users = (): Promise<Shown[]> => ok('GET', '/user_backend/users')
  const rules = (): Promise<Shown[]> => ok('GET', '/auth/rules')
  const status = async () => ((await ok('GET', '/netscan_backend/status')) as { status: string; msg: string[] }[])[0]
  const settled = () => until('nothing waits', () => discovery.state().waiting === 0)

  it('makes a user with a MAC rule of a host in the segment, named by its lease', async () => {
    const { id } = await ok('POST', '/user_backend/groups', { name: 'found', parent_id: 1 })
    await enable({ group_id: id })
    const here = host('10.10.0.9', macOf(1))
    meet(here)
    leases = [{ address: 0x0a0a0009, mac: macOf(1), hostname: 'printer', expiresAt: 9 }]
    discovery.note([here])
    await settled()
    const comment = 'Found by device discovery at 10.10.0.9; MAC 00:22:72:00:00:01, Maker of Cards'
    assert.partialDeepStrictEqual(await users(), [
      {
        name: 'printer',
        login: 'device-00-22-72-00-00-01',
        parent_id: `group.id.${id}`,
        enabled: false,
        comment,
        domain_type: 'local',
        phone_number: null,
      },
    ])
    const [rule] = await rules()
    assert.partialDeepStrictEqual(rule, {
      enabled: true,
      ip: null,
      mac: macOf(1),
      user_id: 1,
      always_logged: false,
      comment,
    })
    assert.deepEqual(await ok('GET', '/netscan_backend/devices'), [
      {
        ip: '10.10.0.9',
        mac: macOf(1),
        hostname: 'printer',
        device: 'lan0',
        last_seen: 1767225600,
        user_id: 1,
        vendor: 'Maker of Cards',
      },
    ])
    const [revision] = gateway.engine.listRevisions(1, 0)
    assert.partialDeepStrictEqual(revision, { author: 'system', reason: 'Devices found in local networks' })
  })

  it('makes a user with an IP rule of a host behind a router, once a neighbour can be that router', async () => {
    await enable()
    const behind = host('192.168.7.7', macOf(2))
    discovery.note([behind])
    assert.equal(discovery.state().waiting, 1)
    meet(host('10.10.0.254', macOf(2)))
    await settled()
    assert.partialDeepStrictEqual(await users(), [{ name: '192.168.7.7', login: 'device-192-168-7-7' }])
    assert.partialDeepStrictEqual(await rules(), [{ ip: '192.168.7.7', mac: null }])
  })

  it('never makes two users of a host, also after a restart, and none while it is off', async () => {
    const here = host('10.10.0.9', macOf(1))
    meet(here)
    discovery.note([here])
    assert.equal(discovery.state().waiting, 0)
    await enable()
    discovery.note([here, host('10.10.0.10', macOf(1)), here])
    await settled()
    assert.equal((await users()).length, 1)
    const revision = gateway.engine.revision
    discovery.stop()
    gateway = await gateway.restart()
    await begin()
    discovery.note([here])
    await settled()
    await ok('PATCH', `/auth/rules/${(await rules())[0]?.id}`, { enabled: false })
    discovery.note([here])
    await settled()
    assert.equal((await users()).length, 1)
    assert.equal(gateway.engine.revision, revision + 1)
    assert.deepEqual(faults, [])
  })

  it('adds hosts that come together in few changes, and holds a flood back', async () => {
    await enforce()
    await enable()
    const flood = Array.from({ length: mostPerMinute + 30 }, (_, at) => host(`10.10.0.${at + 2}`, macOf(at)))
    meet(...flood)
    const before = gateway.engine.revision
    discovery.note(flood)
    await until('only those that are held back wait', () => discovery.state().waiting === 30)
    assert.equal(discovery.state().isHeldBack, true)
    assert.equal((await users()).length, mostPerMinute)
    assert.equal(gateway.engine.revision - before, mostPerMinute / 20)
    const held = await status()
    assert.equal(held?.status, 'active')
    assert.deepEqual(held?.msg, [`Devices that wait: 30. At most ${mostPerMinute} become users in a minute.`])
    gateway.clock.advance(61)
    await settled()
    assert.equal((await users()).length, flood.length)
    assert.deepEqual((await status())?.msg, [])
  })

  it('lets no more hosts wait than it can look at, none for ever, and a real one behind a flood not at all', async () => {
    await enable()
    discovery.note(Array.from({ length: 6_000 }, (_, at) => host(`10.10.${at >> 8}.${at & 255}`, macOf(at))))
    assert.ok(discovery.state().waiting <= 4_096)
    const here = host('10.10.0.9', macOf(9_999))
    meet(here)
    discovery.note([here])
    await settled()
    assert.partialDeepStrictEqual(await users(), [{ name: '10.10.0.9', login: 'device-00-22-72-00-27-0f' }])
    assert.equal((await users()).length, 1)
  })

  it('tries again when a change is refused for now, and the state says so', async () => {
    await enable()
    const here = host('10.10.0.9', macOf(1))
    meet(here)
    gateway.applier.failWith = new Error('applyd is gone')
    discovery.note([here])
    await until('it failed', () => discovery.state().fault !== null)
    gateway.applier.failWith = null
    assert.deepEqual(await status(), {
      name: 'device-discovery',
      status: 'failed',
      msg: ['Found devices could not be added: applyd is gone'],
    })
    await settled()
    assert.equal((await users()).length, 1)
    assert.equal(faults.length, 1)
    assert.equal((await status())?.status, 'active')
  })

  it('shows what it is and what it lacks', async () => {
    assert.deepEqual(await status(), {
      name: 'device-discovery',
      status: 'inactive',
      msg: ['Device discovery is not enabled.'],
    })
    await enable()
    rmSync(join(folder, 'oui.txt'))
    assert.match((await status())?.msg[0] ?? '', /ieee-data is not installed/)
  })

  it('lists neighbours of local networks and leases, with what is known of each', async () => {
    meet(host('10.10.0.20', '02:00:00:00:00:0a'), host('203.0.113.1', macOf(9), 'wan0'))
    leases = [{ address: 0x0a0a0007, mac: macOf(7), hostname: 'tv', expiresAt: 9 }]
    const unknown = { last_seen: null, user_id: null }
    assert.deepEqual(await ok('GET', '/netscan_backend/devices'), [
      { ip: '10.10.0.7', mac: macOf(7), vendor: 'Maker of Cards', hostname: 'tv', device: 'lan0', ...unknown },
      {
        ip: '10.10.0.20',
        mac: '02:00:00:00:00:0a',
        vendor: 'random address',
        hostname: '',
        device: 'lan0',
        ...unknown,
        last_seen: 1767225600,
      },
    ])
    assert.equal(
      (await (await gateway.client('predefined_reports_view'))('GET', '/netscan_backend/devices')).status,
      403,
    )
  })
})

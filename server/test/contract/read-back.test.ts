// The happy path of every list and every settings object, made from their schemas: what is sent is what is read, also after
// a restart; what is removed is gone, and its id does not come back.
// Requirement 22.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { TSchema } from 'typebox'
import { areas } from '../../src/areas/index.ts'
import type { Endpoint } from '../../src/core/contract/endpoint.ts'
import { exceptions } from '../support/exceptions.ts'
import { type Client, createTestGateway, type TestGateway } from '../support/test-gateway.ts'
import { endpoints } from './contract.ts'
import { sample, schemaOf } from './samples.ts'

const at = (method: string, path: string): Endpoint | undefined =>
  endpoints.find((endpoint) => endpoint.method === method && endpoint.path === path)

interface List {
  readonly path: string
  readonly create: Endpoint
  /** The path that one item is below. */
  readonly item: string
}

const lists = endpoints.flatMap((create): List[] => {
  if (create.method !== 'POST' || create.path.includes(':') || create.rawBodyType !== null) return []
  const removal = endpoints.find(
    ({ method, path }) =>
      method === 'DELETE' && path.startsWith(`${create.path}/:`) && !path.slice(create.path.length + 2).includes('/'),
  )
  return removal && at('GET', create.path) ? [{ path: create.path, create, item: removal.path }] : []
})

/** Fields that are read in another form than they were sent. */
const shownOtherwise = exceptions('fields shown in another form than they were sent', [
  // Secrets, and addresses whose path is one.
  /^\S+ password$|^\/health\/notifications\/webhooks\S* url$/,
  /^\/web\/admins\/\S+ role$/,
  // The address itself shows which kind it is.
  /^\/mail\/rules\/\S+ type$/,
])

const isShownOtherwise = (path: string, field: string): boolean =>
  shownOtherwise.some((pattern) => pattern.test(`${path} ${field}`))

const settings = endpoints.filter(
  ({ method, path }) =>
    method === 'PATCH' && !path.includes(':') && at('GET', path) && !lists.some((list) => list.path === path),
)

/**
 * Lists whose items need something that no schema shows, and signatures, which are known by the sid that the administrator
 * gave them; the tests of their areas do the same by hand.
 */
const elsewhere: ReadonlySet<string> = new Set(
  exceptions('lists that are written and read back by hand', [
    '/ips/custom',
    '/network/tunnels',
    '/ad_backend/group_settings',
    '/ald_backend/group_settings',
  ]),
)

/**
 * Lists that no call creates an item of: gateways announce themselves to a central console, users enrol at the portal, and what a profile
 * does without the engine is there with the profile.
 */
const announced: ReadonlySet<string> = new Set([
  'central_console.servers',
  'portal.second_factors',
  'inspection.failures',
])

it('every declared list is written and read back, here or by the tests of its owner', () => {
  const routes = areas.flatMap((area) => area.routes)
  const isCovered = (path: string): boolean => path.includes(':') || lists.some((list) => list.path === path)
  const missed = areas
    .flatMap((area) => area.lists ?? [])
    .filter(({ slot }) => !announced.has(slot.key))
    .filter(({ slot }) => {
      const creating = routes.filter((route) => route.slot?.key === slot.key && route.endpoint.method === 'POST')
      return !creating.some(({ endpoint }) => isCovered(endpoint.path))
    })
  assert.deepEqual(
    missed.map(({ slot }) => slot.key),
    [],
  )
})

const zone = '@ SOA ns root.localhost. 1 1 1 1 1\n@ NS ns\nns A 192.0.2.1'

/** Where a body made from the schema alone would not do. */
const fitting = (lan: string): Readonly<Record<string, object>> => ({
  '/network/connections': {
    type: 'lan',
    title: 'Another',
    enabled: true,
    mac: '02:00:00:00:0e:02',
    enable_dhcp: false,
    addresses: ['10.98.0.1/24'],
  },
  // With a source it would be a rule of another list.
  '/firewall/hw_rules_dst_ip': { source_ip: undefined },
  '/network/span': { mac: '02:00:00:00:0e:03' },
  '/reverse_proxy_backend/waf/profiles': { from_central_console: false },
  '/user_backend/users': { parent_id: 'group.id.1' },
  '/user_backend/groups': { parent_id: 'group.id.1' },
  '/vpn_servers/lease_rules': { address: '10.128.0.9' },
  '/dns/zones/master': { config: zone },
  '/dhcp_server/settings': { interface: lan, relay: { external_servers: ['192.0.2.7'] }, server: null },
})

describe('what is sent is read', () => {
  let gateway: TestGateway
  let admin: Client
  let lan = ''
  const added = new Map<string, Readonly<Record<string, unknown>>>()
  before(async () => {
    gateway = await createTestGateway()
    admin = await gateway.client('predefined_admin_write')
    const connection = { type: 'lan', title: 'Office', enabled: true, mac: '02:00:00:00:0e:01', enable_dhcp: false }
    const { body } = await admin('POST', '/network/connections', { ...connection, addresses: ['10.99.0.1/24'] })
    lan = `interface.id.${body.id}`
  })
  after(() => gateway.close())

  const shown = async (path: string): Promise<Record<string, unknown>[]> => {
    const { status, body, text } = await admin('GET', path)
    assert.equal(status, 200, text)
    return Array.isArray(body) ? body : assert.fail(`${path} is no list`)
  }

  async function add({ path, create }: List): Promise<Record<string, unknown>> {
    const made = path === '/network/connections' ? {} : (sample(schemaOf(create.body as TSchema)) as object)
    const body = { ...made, ...fitting(lan)[path] }
    const known = new Set((await shown(path)).map(({ id }) => id))
    const { status, text } = await admin('POST', path, body)
    assert.equal(status, 200, text)
    const fresh = (await shown(path)).filter(({ id }) => !known.has(id))
    assert.equal(fresh.length, 1)
    const [item = {}] = fresh
    for (const [field, value] of Object.entries(body))
      if (field in item && !isShownOtherwise(path, field)) assert.deepEqual(item[field], value, field)
    return item
  }

  exceptions('bodies that the schema alone does not make', Object.keys(fitting('')))
  const own = lists.filter(({ path }) => !elsewhere.has(path))
  it('covers all lists but those that are named', () => assert.ok(own.length > 60))
  for (const list of own)
    it(`in ${list.path}`, async () => {
      added.set(list.path, await add(list))
    })

  it('in all of them after a restart', async () => {
    gateway = await gateway.restart()
    admin = await gateway.client('predefined_admin_write')
    for (const [path, item] of added)
      assert.deepEqual(
        (await shown(path)).find(({ id }) => id === item.id),
        item,
        path,
      )
  })

  for (const list of own.toReversed())
    it(`until it is removed from ${list.path}, and its id does not come back`, async () => {
      const item = added.get(list.path) ?? assert.fail('nothing was added')
      const { id } = item
      const name = list.item.endsWith(':domain_name') ? item.name : id
      const removed = await admin('DELETE', list.item.replace(/:[a-z_]+$/, String(name)))
      assert.equal(removed.status, 200, removed.text)
      assert.ok(!(await shown(list.path)).some((one) => one.id === id))
      assert.notEqual((await add(list)).id, id)
    })
})

describe('settings', () => {
  let gateway: TestGateway
  let admin: Client
  before(async () => {
    gateway = await createTestGateway()
    admin = await gateway.client('predefined_admin_write')
  })
  after(() => gateway.close())

  it('are found', () => assert.ok(settings.length > 40))
  for (const { path, body: schema } of settings)
    it(`${path} take back what they show, and show each switch as it was set`, async () => {
      const shown = async () => (await admin('GET', path)).body as Record<string, unknown>
      const first = await shown()
      const fields = Object.keys(schemaOf(schema as TSchema).properties ?? {})
      const sent = await admin('PATCH', path, Object.fromEntries(fields.map((field) => [field, first[field]])))
      assert.equal(sent.status, 200, sent.text)
      assert.deepEqual(await shown(), first)
      for (const field of fields.filter((one) => typeof first[one] === 'boolean')) {
        const changed = await admin('PATCH', path, { [field]: !first[field] })
        // What needs another setting first says so, and changes nothing.
        const isTaken = changed.status === 200
        if (!isTaken) assert.ok([409, 422].includes(changed.status) && changed.body.problems.length > 0, changed.text)
        assert.equal((await shown())[field], isTaken ? !first[field] : first[field], field)
        assert.equal((await admin('PATCH', path, { [field]: first[field] })).status, 200)
      }
      assert.deepEqual(await shown(), first)
    })
})

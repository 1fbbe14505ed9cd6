// Questions that pages ask beside the lists: rules of an address, uses of objects, addresses of a name, users page by page, and
// the journal by who, object and time.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { least, path } from '../support/firewall-samples.ts'
import { type Client, createTestGateway, type TestGateway } from '../support/test-gateway.ts'

describe('questions', () => {
  let gateway: TestGateway
  let admin: Client
  before(async () => {
    gateway = await createTestGateway()
    admin = await gateway.client('predefined_admin_write')
  })
  after(() => gateway.close())

  const ok = async (...call: Parameters<Client>) => {
    const { status, body, text } = await admin(...call)
    assert.equal(status, 200, text)
    return body
  }

  it('which rules name an address, by lists, exceptions and networks', async () => {
    const host = (await ok('POST', '/aliases/ip_addresses', { title: 'host', comment: '', value: '10.9.8.7' })).id
    const net = (await ok('POST', '/aliases/networks', { title: 'net', comment: '', value: '10.9.0.0/16' })).id
    const other = (await ok('POST', '/aliases/ip_addresses', { title: 'other', comment: '', value: '10.200.0.1' })).id
    const add = async (fields: object): Promise<number> =>
      (await ok('POST', path('forward'), { ...least.forward, ...fields })).id
    const named = await add({ source_addresses: [host] })
    const around = await add({ destination_addresses: [net] })
    const excepted = await add({ source_addresses: [other], source_addresses_negate: true })
    await add({ source_addresses: [other] })
    await add({})
    const disabled = await add({ source_addresses: [host], enabled: false })
    const touching = async (address: string) =>
      (await ok('GET', `/firewall/rules_of_address?address=${address}`)).map(
        ({ table, id, source, destination }: Record<string, unknown>) => `${table} ${id} ${source} ${destination}`,
      )
    assert.deepEqual(await touching('10.9.8.7'), [
      `forward ${named} named any`,
      `forward ${around} any named`,
      `forward ${excepted} named any`,
    ])
    assert.deepEqual(await touching('10.9.8.0/24'), await touching('10.9.8.7'))
    assert.ok(!(await touching('10.9.8.7')).some((line: string) => line.includes(` ${disabled} `)))
    assert.deepEqual(await touching('10.9.1.1'), [`forward ${around} any named`, `forward ${excepted} named any`])
    for (const address of ['10.9.8', '10.9.8.7/33', 'name.example', ''])
      assert.equal((await admin('GET', `/firewall/rules_of_address?address=${address}`)).status, 422)
    const counts = await ok('GET', '/aliases/use_counts')
    const usesOf = (id: string) => counts.find((one: { id: string }) => one.id === id)?.uses
    assert.deepEqual([usesOf(host), usesOf(net), usesOf(other)], [2, 1, 2])
  })

  it('what a name resolves to, or why it does not', async () => {
    assert.deepEqual(await ok('GET', '/firewall/name_addresses?name=www.example.com'), {
      addresses: [],
      error: 'This gateway asks no DNS server.',
    })
    for (const name of ['', 'a b', '-x', 'ü.example', 'x'.repeat(300)])
      assert.equal((await admin('GET', `/firewall/name_addresses?name=${encodeURIComponent(name)}`)).status, 422)
  })

  it('which users match, page by page and without their passwords', async () => {
    const group = (await ok('POST', '/user_backend/groups', { name: 'Sales', parent_id: 'group.id.1' })).id
    for (const login of ['anna', 'bert', 'carla'])
      await ok('POST', '/user_backend/users', {
        name: `${login.toUpperCase()} of sales`,
        login,
        psw: 'a long password 7',
        comment: '',
        parent_id: login === 'carla' ? 'group.id.1' : `group.id.${group}`,
      })
    const found = async (query: string) => {
      const { total, users } = await ok('GET', `/user_backend/users_found?${query}`)
      return [total, users.map(({ login }: { login: string }) => login)]
    }
    assert.deepEqual(await found('search=OF%20Sales'), [3, ['anna', 'bert', 'carla']])
    assert.deepEqual(await found('search=of%20sales&limit=1&offset=1'), [3, ['bert']])
    assert.deepEqual(await found(`search=a&group_id=group.id.${group}`), [2, ['anna', 'bert']])
    assert.deepEqual(await found('group_id=group.id.1'), [3, ['anna', 'bert', 'carla']])
    assert.deepEqual(await found('group_id=group.id.99'), [0, []])
    const text = JSON.stringify(await ok('GET', '/user_backend/users_found'))
    assert.ok(!text.includes('password'))
  })

  it('who changed an object, and when', async () => {
    const object = 'firewall.forward'
    const changes = await ok('GET', `/journal/records?object=${object}&limit=3`)
    assert.equal(changes.length, 3)
    const isOfForward = ({ object: name }: { object: string }): boolean => name.startsWith(`${object}[`)
    assert.ok(changes.every((record: { changes: { object: string }[] }) => record.changes.some(isOfForward)))
    const { who, time } = changes[0]
    const seconds = Math.floor(Date.parse(time) / 1000)
    assert.ok((await ok('GET', `/journal/records?who=${who}&from=${seconds}&until=${seconds + 1}`)).length > 0)
    assert.deepEqual(await ok('GET', `/journal/records?who=${who}&until=${seconds - 86_400}`), [])
    assert.deepEqual(await ok('GET', '/journal/records?who=%22%2C%22'), [])
    assert.equal((await admin('GET', '/journal/records?event=none')).status, 422)
  })
})

// The cards of the machine over the interface: which there are, which connection uses them, and why they are not known.

import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { type Client, createTestGateway, type TestGateway } from '../support/test-gateway.ts'

let gateway: TestGateway
let admin: Client

beforeEach(async () => {
  gateway = await createTestGateway()
  admin = await gateway.client('predefined_admin_write')
})
afterEach(() => gateway.close())

const macOf = (number: number): string => `02:00:00:00:00:0${number}`
const device = (number: number, more: object = {}) => ({
  ifindex: number,
  ifname: `eth${number}`,
  flags: ['UP', 'LOWER_UP'],
  operstate: 'UP',
  link_type: 'ether',
  address: macOf(number),
  addr_info: [],
  ...more,
})

const cards = async () => {
  const answer = await admin('GET', '/network/cards')
  assert.equal(answer.status, 200, answer.text)
  return answer.body as { cards: { name: string; connection: object | null }[]; reason: string }
}

const add = async (path: string, body: object) => {
  const answer = await admin('POST', path, body)
  assert.equal(answer.status, 200, answer.text)
  return answer.body.id
}
const connect = (title: string, mac: string, third: number, vlan_tag: number | null = null): Promise<number> =>
  add('/network/connections', {
    type: 'lan',
    title,
    enabled: true,
    mac,
    enable_dhcp: false,
    addresses: [`10.50.${third}.1/24`],
    vlan_tag,
  })

describe('the cards of the machine', () => {
  it('are shown by name with MAC, carrier, bus and the connection that uses them', async () => {
    gateway.applier.shownDevices = [
      device(2, { flags: ['UP', 'NO-CARRIER'] }),
      device(1, { parentbus: 'usb', parentdev: '1-1:1.0' }),
      device(3, { flags: [] }),
      device(4, { ifname: 'br0', linkinfo: { info_kind: 'bridge' } }),
    ]
    assert.deepEqual(await cards(), {
      cards: [
        { name: 'eth1', mac: macOf(1), has_carrier: true, bus: 'usb 1-1:1.0', connection: null },
        { name: 'eth2', mac: macOf(2), has_carrier: false, bus: null, connection: null },
        { name: 'eth3', mac: macOf(3), has_carrier: null, bus: null, connection: null },
      ],
      reason: '',
    })
  })

  it('name the connection without a tag first, one with a tag otherwise, and that of their aggregated interface', async () => {
    gateway.applier.shownDevices = [1, 2, 3, 4].map((number) => device(number))
    await connect('Cameras', macOf(1), 1, 5)
    const office = await connect('Office', macOf(1), 2)
    const phones = await connect('Phones', macOf(2), 3, 6)
    const nics = [macOf(3), macOf(4)]
    const both = await add('/network/aggregated', { enabled: true, title: 'Both', comment: '', nics })
    const servers = await connect('Servers', both, 4)
    assert.deepEqual(
      (await cards()).cards.map(({ name, connection }) => [name, connection]),
      [
        ['eth1', { id: office, title: 'Office' }],
        ['eth2', { id: phones, title: 'Phones' }],
        ['eth3', { id: servers, title: 'Servers' }],
        ['eth4', { id: servers, title: 'Servers' }],
      ],
    )
  })

  it('are absent, with a reason, where nothing is applied, or the machine does not answer or not in its form', async () => {
    const { applier } = gateway
    applier.shownDevices = [device(1)]
    const observed = await applier.observe()
    applier.observe = async () => ({ ...observed, plane: 'none', limitation: 'no data plane is set up' })
    assert.deepEqual(await cards(), {
      cards: [],
      reason: 'Stored and checked, not applied: no data plane is set up',
    })
    applier.observe = async () => observed
    for (const devices of [async () => '{', async () => 'null', () => Promise.reject(new Error('No answer.'))]) {
      applier.devices = devices
      const answer = await cards()
      assert.deepEqual(answer.cards, [])
      assert.match(answer.reason, /^(?:No answer\.|The devices of the machine .* reads\.)$/)
    }
    applier.observe = () => Promise.reject(new Error('The service is not there.'))
    assert.deepEqual(await cards(), { cards: [], reason: 'The service is not there.' })
  })
})

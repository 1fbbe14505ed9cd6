// The data plane that applies nothing: everything is rendered and shown to the engines' own checkers, kept, and never
// said to work.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { ApiClient } from '../support/api-client.ts'
import { type LabGateway, startGateway } from '../support/lab-gateway.ts'

const password = 'correct horse 9'
const zone = { name: 'own.example', enabled: true, comment: '' }
const records = '@ SOA ns root.localhost. 1 1 1 1 1\n@ NS ns\nns A 192.0.2.1'

describe('without a data plane', () => {
  let gateway: LabGateway
  let api: ApiClient
  before(async () => {
    gateway = await startGateway({
      adminPassword: password,
      dataplane: 'none',
      env: { PORTCULLIS_AGENT_LISTEN: '127.0.0.1:0' },
    })
    api = new ApiClient(gateway.address)
    await api.signIn('admin', password)
  })
  after(async () => {
    api.close()
    await gateway.stop()
  })

  it('changes that engines would take are kept', async () => {
    await api.ok('PATCH', '/firewall/settings', { automatic_snat_enabled: false })
    await api.ok('PATCH', '/dns/safesearch', { enabled: true })
    await api.ok('POST', '/dns/zones/master', { ...zone, config: records })
    const lan = await api.ok('POST', '/network/connections', {
      type: 'lan',
      title: 'Office',
      enabled: true,
      mac: '02:00:00:00:0d:01',
      enable_dhcp: false,
      addresses: ['10.99.1.1/24'],
    })
    const server = {
      ranges: ['10.99.1.10-10.99.1.20'],
      lease_time: 60,
      options: [],
      routes: [],
      wpad_enabled: false,
      dns: [],
      domain: '',
      gateway: '',
      tftp_server: '',
      tftp_filename: '',
      wins: [],
    }
    const entry = { enabled: true, interface: `interface.id.${lan.id}`, relay: null, server }
    await api.ok('POST', '/dhcp_server/settings', entry)
    assert.equal((await api.ok('GET', '/dns/zones/master')).length, 1)
  })

  it('nothing of it is said to work', async () => {
    for (const path of ['/firewall/status', '/dns/status', '/dhcp_server/status']) {
      const items = await api.ok('GET', path)
      assert.deepEqual(
        items.filter(({ status }: { status: string }) => status === 'active'),
        [],
        path,
      )
    }
  })
})

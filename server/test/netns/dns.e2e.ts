// The DNS server on the wire: who is answered, from where answers come, own and forward zones, changes while it answers,
// and what happens when it dies. Asked with dig from the client of the lab.

import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { webAddress } from '../../src/lab/network.ts'
import { ApiClient } from '../support/api-client.ts'
import { addressesIn, dig } from '../support/dig.ts'
import { type LabGateway, startGateway } from '../support/lab-gateway.ts'
import { until } from '../support/until.ts'

const password = 'correct horse 9'
const skip = existsSync('/usr/sbin/unbound') && existsSync('/usr/bin/dig') ? false : 'unbound or dig is not installed'

describe('the DNS server on the wire', { skip }, () => {
  let gateway: LabGateway
  let api: ApiClient

  before(async () => {
    gateway = await startGateway({ adminPassword: password })
    api = new ApiClient(gateway.address)
    await api.signIn('admin', password)
    await until('DNS answers', async () => (await dig(gateway, 'localhost')).status === 'NOERROR')
  })
  after(async () => {
    api.close()
    await gateway.stop()
  })

  it('resolves through the root servers when nothing is set', async () => {
    for (const tcp of [false, true])
      assert.deepEqual(addressesIn(await dig(gateway, 'www.example.test', { tcp })), [webAddress])
    assert.equal((await dig(gateway, 'nowhere.example.test')).status, 'NXDOMAIN')
  })
})

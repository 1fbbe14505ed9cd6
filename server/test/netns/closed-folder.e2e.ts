// A state folder that the service account cannot reach, such as one below /root: the lab knows it by another path, and what dies
// there comes back.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { ApiClient } from '../support/api-client.ts'
import { type LabGateway, startGateway } from '../support/lab-gateway.ts'
import { until } from '../support/until.ts'

const password = 'correct horse 9'

describe('a state folder that is closed to others', () => {
  let folder: string
  let gateway: LabGateway
  let api: ApiClient
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'portcullis-closed-'))
    gateway = await startGateway({ stateDir: join(folder, 'state'), adminPassword: password, dataplane: 'lab' })
    api = new ApiClient(gateway.address)
    await api.signIn('admin', password)
  })
  after(async () => {
    api.close()
    await gateway.stop()
    rmSync(folder, { recursive: true })
  })

  const engines = (): readonly number[] => gateway.processesOf('unbound/unbound.conf')
  const isActive = async (): Promise<boolean> => {
    const items = (await api.ok('GET', '/dns/status')) as { name: string; status: string }[]
    return items.some(({ name, status }) => name === 'unbound' && status === 'active')
  }

  it('has engines, which are found and start again when they are killed', async () => {
    await until('the DNS server answers', isActive)
    const [first = assert.fail('it was not found')] = engines()
    gateway.log.expect(/^error: applyd: dns ended with signal SIGKILL/)
    process.kill(first, 'SIGKILL')
    await until('another one runs', () => engines().length === 1 && !engines().includes(first))
    await until('it answers', isActive)
  })
})

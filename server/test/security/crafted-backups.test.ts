// Requirement 47 and 48: backups that are well sealed and signed by the gateway itself, whose content someone made up. A
// restore takes what is valid and refuses the rest by name; it is never a fault of ours and never half of a change.
// Requirement 48.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { mutated } from '../../src/applyd/stand-ins/mutations.ts'
import { backupsService } from '../../src/areas/backup/service.ts'
import { sealedBy, upload } from '../contract/backup-calls.ts'
import { type Client, createTestGateway, type TestGateway } from '../support/test-gateway.ts'
import { isNightly, Random, seed } from './random.ts'

const count = isNightly ? 10_000 : 150

describe('a well-signed backup of hostile content', () => {
  let gateway: TestGateway
  let admin: Client
  before(async () => {
    gateway = await createTestGateway()
    admin = await gateway.client('predefined_admin_write')
    const host = { title: 'host', comment: '', value: '10.0.0.1' }
    assert.equal((await admin('POST', '/aliases/ip_addresses', host)).status, 200)
    assert.equal((await admin('PATCH', '/firewall/settings', { log_mode: 'all' })).status, 200)
  })
  after(() => gateway.close())

  it(`is restored or refused, ${count} times`, async (t) => {
    t.diagnostic(`seed ${seed}`)
    const random = new Random(seed)
    const { id } = (await admin('POST', '/backup/backups', { comment: '' })).body
    const { info, entries } = await gateway.services.of(backupsService).open(id)
    const parsed = [...entries].map(([name, bytes]) => [name, JSON.parse(bytes.toString())] as const)
    const statuses = new Map<number, number>()
    for (let done = 0; done < count; done++) {
      const [changedName] = random.pick(parsed)
      const files = new Map<string, Buffer>()
      for (const [name, value] of parsed) {
        const other = random.pick(parsed)[1]
        const content = name === changedName ? mutated(random, value, other, 1 + random.below(3)) : value
        files.set(name, Buffer.from(JSON.stringify(content) ?? 'null'))
      }
      if (random.chance(0.05)) files.set(changedName, Buffer.from('{"a":'))
      if (random.chance(0.05)) files.delete(changedName)
      if (random.chance(0.05))
        files.set(`slots/${random.pick(['constructor', 'shadow.rules', 'x.y'])}.json`, Buffer.from('[]'))
      const { revision } = gateway.engine
      const title = `seed ${seed}, backup ${done}: ${changedName} ${files.get(changedName)?.toString().slice(0, 500)}`
      const taken = await upload(admin, await sealedBy(gateway, info, files))
      assert.ok([200, 422].includes(taken.status), `${title}: ${taken.text}`)
      if (taken.status !== 200) continue
      const answer = await admin('POST', `/backup/backups/${taken.body.id}/apply?dry_run=true`)
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
      assert.ok([200, 409, 422].includes(answer.status), `${title}: ${answer.status} ${answer.text.slice(0, 500)}`)
      assert.equal(gateway.engine.revision, revision, title)
      await admin('DELETE', `/backup/backups/${taken.body.id}`)
    }
    t.diagnostic(`statuses ${JSON.stringify(Object.fromEntries(statuses))}`)
    for (const status of [200, 422]) assert.ok((statuses.get(status) ?? 0) > 2, `hardly any ${status}`)
    assert.equal((await admin('GET', '/web/whoami')).status, 200)
  })
})

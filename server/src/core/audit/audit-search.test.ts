// A search of the audit trail finds what reading every record finds, page by page.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Random, seed } from '../../../test/security/random.ts'
import { Database } from '../database/database.ts'
import { AuditTrail } from './audit.ts'
import type { AuditEntry, AuditRecord } from './audit-entry.ts'
import type { AuditSearch } from './audit-search.ts'

const start = Date.UTC(2026, 0, 1)

describe('a search of the audit trail', () => {
  const random = new Random(seed)
  const who = ['admin', 'анна', 'a"b\\c', 'adm']
  const what = ['POST /firewall/rules/forward', 'PATCH /dns/state', 'sign-in']
  const objects = ['firewall.forward[7]', 'firewall.forward[77]', 'firewall.forward', 'dns.state']
  const events: AuditEntry['event'][] = ['change', 'sign-in']
  const pick = <T>(list: readonly T[]): T => list[random.below(list.length)] as T
  const database = new Database(':memory:')
  let time = start
  const trail = new AuditTrail(database, () => new Date(time))
  for (let index = 0; index < 5_000; index++) {
    time += random.below(3) * 1_000
    const changes = random.below(2) === 0 ? [] : [{ object: pick(objects), action: 'changed', fields: [] }]
    const message = pick(objects)
    const result = random.below(4) === 0 ? 'failed' : 'ok'
    const kept = {
      event: pick(events),
      who: pick(who),
      address: '192.0.2.1',
      what: pick(what),
      result,
      message,
    } as const
    trail.write([{ ...kept, request_id: `r${index}`, revision: null, changes }])
  }
  const records = (search: AuditSearch | null, limit: number, offset: number): AuditRecord[] =>
    JSON.parse([...trail.listJson(limit, offset, search)].join(''))
  const every = records(null, 10_000, 0)

  const expected = (search: AuditSearch): AuditRecord[] =>
    every.filter((record) => {
      const seconds = Date.parse(record.time) / 1000
      const named = record.changes.map((change) => (change as { object: string }).object)
      return (
        (search.who ?? record.who) === record.who &&
        (search.event ?? record.event) === record.event &&
        (search.result ?? record.result) === record.result &&
        record.what.toLowerCase().includes((search.what ?? '').toLowerCase()) &&
        (search.object === undefined ||
          named.some((name) => name === search.object || name.startsWith(`${search.object}[`))) &&
        seconds >= (search.from ?? 0) &&
        seconds < (search.until ?? Number.POSITIVE_INFINITY)
      )
    })

  const anySearch = (): AuditSearch => {
    const from = start / 1000 + random.below(5_000)
    const all: readonly AuditSearch[] = [
      { who: pick(who) },
      { event: pick(events) },
      { result: pick(['ok', 'failed', 'conflict']) },
      { what: pick(['firewall', 'DNS', 'x']) },
      { object: pick(objects) },
      { from, until: from + random.below(2_000) },
    ]
    return Object.assign({}, ...all.filter(() => random.below(3) === 0)) as AuditSearch
  }

  it('finds the same as a look at all of them, whatever is asked', () => {
    for (let index = 0; index < 150; index++) {
      const search = anySearch()
      const [limit, offset] = [1 + random.below(200), random.below(50)]
      const text = JSON.stringify({ search, limit, offset })
      assert.deepEqual(records(search, limit, offset), expected(search).slice(offset, offset + limit), text)
    }
  })

  it('finds nothing where nothing is', () => {
    assert.deepEqual(records({ who: 'nowhere' }, 10, 0), [])
  })
})

// Every call that changes something, and every upload, on a disk without room: it is refused with a sentence or done whole, never
// answered with an internal fault. Then what is on the disk is what the API shows, and with room everything works again.
// Requirements 57, 62 and 63.

import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { request } from 'node:https'
import { after, before, describe, it } from 'node:test'
import { areas } from '../../src/areas/index.ts'
import type { Endpoint } from '../../src/core/contract/endpoint.ts'
import { nameOf } from '../../src/core/contract/endpoint.ts'
import type { Slot } from '../../src/core/model/slots.ts'
import { changingEndpoints, fillPath } from '../contract/contract.ts'
import { sample, schemaOf } from '../contract/samples.ts'
import { ApiClient } from '../support/api-client.ts'
import { until } from '../support/until.ts'
import { reasonToSkip, type SmallDisk, startOnSmallDisk } from './small-disk.ts'
import { readStored } from './stored.ts'

const password = 'correct horse 9'
const mebibyte = 1 << 20
const slots: readonly Slot[] = areas.flatMap((area) => area.slots)

/** What ends this session or the process, or takes time by its nature. */
const leftOut = /^\S+ \/(?:web\/auth\/login|web\/session|sysupdate\/(?:install|reboot)|power|reboot|shutdown)\b/

const calls = changingEndpoints.filter(
  (endpoint) => endpoint.access !== 'public' && !leftOut.test(nameOf(endpoint)) && endpoint.path !== '/web/admins/:id',
)

describe('every call on a disk without room', { skip: reasonToSkip() }, () => {
  let disk: SmallDisk
  let api: ApiClient
  before(async () => {
    disk = await startOnSmallDisk(48 * mebibyte, password)
    api = new ApiClient(disk.address)
    await api.signIn('admin', password)
  })
  after(() => {
    api?.close()
    disk?.end()
  })

  const upload = (endpoint: Endpoint, bytes: Buffer): Promise<{ status: number; text: string }> =>
    new Promise((resolve) => {
      const address = new URL(fillPath(endpoint.path), disk.address)
      const type = `${endpoint.rawBodyType}${endpoint.rawBodyType?.startsWith('multipart') ? '; boundary=part' : ''}`
      const outgoing = request(
        address,
        {
          method: endpoint.method,
          rejectUnauthorized: false,
          headers: { cookie: api.cookie, 'content-type': type, 'content-length': bytes.length },
        },
        (incoming) => {
          let text = ''
          incoming.setEncoding('utf8').on('data', (part: string) => {
            text += part
          })
          incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, text }))
        },
      )
      // Refused before the whole body was sent.
      outgoing.on('error', (error) => resolve({ status: 0, text: String(error) }))
      outgoing.end(bytes)
    })

  /** Of a kind that the endpoint begins to store. */
  const bytesFor = ({ rawBodyType }: Endpoint, size: number): Buffer => {
    switch (rawBodyType) {
      case 'text/plain': {
        const rule = (sid: number): string => `alert tcp any any -> any any (msg:"rule ${sid}"; sid:${sid}; rev:1;)\n`
        return Buffer.from(Array.from({ length: size / 60 }, (_, index) => rule(1_000_001 + index)).join(''))
      }
      case 'multipart/form-data': {
        const head = '--part\r\nContent-Disposition: form-data; name="file"; filename="a.backup"\r\n\r\n'
        return Buffer.concat([Buffer.from(head), Buffer.alloc(size, 7), Buffer.from('\r\n--part--\r\n')])
      }
      default:
        return Buffer.alloc(size, 7)
    }
  }

  /** Also refused where there would be room. */
  const isRefusal = (status: number): boolean => status >= 400 && status < 500

  it('is refused with a sentence or done whole', async (t) => {
    await disk.fillAll()
    const faults: string[] = []
    const counts = { done: 0, refused: 0, full: 0 }
    const judge = (name: string, status: number, text: string): void => {
      if (status === 200) counts.done++
      else if (isRefusal(status)) counts.refused++
      else if (status === 503 && /"code":"unavailable","message":"[A-Z]/.test(text)) counts.full++
      else faults.push(`${name}: ${status} ${text.slice(0, 300)}`)
      if (!disk.isAlive) throw new Error(`${name} ended gatewayd:\n${disk.log.slice(-2_000)}`)
    }
    for (const endpoint of calls) {
      // What the product gives back by itself is filled again.
      disk.fill()
      const name = nameOf(endpoint)
      if (endpoint.rawBodyType !== null) {
        for (const size of [32 * 1024, mebibyte].filter((one) => one <= endpoint.bodyLimitBytes)) {
          const { status, text } = await upload(endpoint, bytesFor(endpoint, size))
          if (status !== 0) judge(name, status, text)
        }
        continue
      }
      const body = endpoint.body ? sample(schemaOf(endpoint.body)) : undefined
      for (const id of endpoint.path.includes(':') ? ['987654321', '1'] : ['']) {
        const answer = await api.call(endpoint.method, fillPath(endpoint.path, id), body)
        judge(name, answer.status, JSON.stringify(answer.body))
        if (answer.status === 401) await api.signIn('admin', password)
      }
    }
    t.diagnostic(JSON.stringify(counts))
    assert.deepEqual(faults, [])
    assert.ok(counts.full > 50, `the disk had room: ${JSON.stringify(counts)}`)
    const { body } = await api.call('GET', '/config/status')
    assert.equal(body.find(({ name }: { name: string }) => name === 'store').status, 'failed')
  })

  it('left nothing half done, and works again as soon as there is room', async () => {
    disk.free()
    await until('changes are taken again', async () => {
      const { status } = await api.call('POST', '/aliases/ip_addresses', {
        title: `after ${performance.now()}`,
        comment: '',
        value: '192.0.2.9',
      })
      return status === 200
    })
    await until('the status of the store is good', async () => {
      const { body } = await api.call('GET', '/config/status')
      return body.find(({ name }: { name: string }) => name === 'store').status === 'active'
    })
    const again: string[] = []
    for (const endpoint of calls.filter(({ rawBodyType }) => rawBodyType !== null)) {
      const { status, text } = await upload(endpoint, bytesFor(endpoint, 32 * 1024))
      if (status >= 500) again.push(`${nameOf(endpoint)}: ${status} ${text.slice(0, 200)}`)
    }
    assert.deepEqual(again, [])
    assert.equal((await api.call('GET', '/journal/records?limit=1')).status, 200)
    const shown = (await api.call('GET', '/aliases/ip_addresses')).body
    const copy = disk.copy()
    const stored = await readStored(copy, slots)
    rmSync(copy, { recursive: true })
    assert.deepEqual(stored.loaded.damage, [])
    assert.deepEqual(stored.replayed, stored.loaded.snapshot)
    assert.equal(stored.auditFault, null)
    const ids = (items: readonly { readonly id: string }[]): string[] => items.map(({ id }) => id).toSorted()
    assert.deepEqual(ids(shown), ids(stored.loaded.snapshot.config['objects.ip_addresses'] as { id: string }[]))
    assert.ok(disk.isAlive)
    assert.doesNotMatch(disk.log, /"level":"error","message":"a request failed"/)
  })
})

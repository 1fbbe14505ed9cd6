// Dynamic DNS: when an update is sent, what each answer of a provider leads to, and one real exchange over HTTPS.
// Requirement 31.

import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { ensureCertificate } from '../../../shared/certificates/tls.ts'
import { createDdnsUpdater, type DdnsWish, readDdnsServer } from './ddns.ts'
import { type DdnsAnswer, type DdnsServer, readAnswer, sendUpdate } from './ddns-request.ts'

const folder = mkdtempSync(join(tmpdir(), 'portcullis-ddns-'))
after(() => rmSync(folder, { recursive: true }))

const wish: DdnsWish = { domain: 'example.com', login: 'me', password: 'secret', address: '203.0.113.2' }
const target: DdnsServer = { url: new URL('https://dyn.example/nic/update'), ca: null }
let files = 0

function makeUpdater(path = join(folder, `${files++}.json`)) {
  const time = { seconds: 1_000_000 }
  const sent: string[] = []
  const answers: DdnsAnswer[] = []
  const asked = { server: 0 }
  const updater = createDdnsUpdater({
    clock: { now: () => new Date(time.seconds * 1000), elapsed: () => time.seconds },
    send: async (_, { host, address }) => {
      sent.push(`${host} ${address}`)
      return answers.shift() ?? { kind: 'done' }
    },
    server: () => {
      asked.server++
      return target
    },
    path,
  })
  return { updater, time, sent, answers, path, asked }
}

describe('dynamic DNS', () => {
  it('updates the domain and www once, and again for another address', async () => {
    const { updater, sent, path } = makeUpdater()
    await updater.follow(wish)
    await updater.follow(wish)
    assert.deepEqual(sent, ['example.com 203.0.113.2', 'www.example.com 203.0.113.2'])
    assert.partialDeepStrictEqual(updater.state(), { address: '203.0.113.2', updatedAt: 1_000_000, error: null })
    await updater.follow({ ...wish, address: '203.0.113.3' })
    assert.equal(sent.length, 4)
    assert.doesNotMatch(readFileSync(path, 'utf8'), /secret/)
  })

  it('reads no file while nothing is wanted: it is asked after every change', async () => {
    const { updater, sent, asked } = makeUpdater()
    await updater.follow(null)
    assert.deepEqual([asked.server, sent], [0, []])
    await updater.follow(wish)
    assert.deepEqual([asked.server, sent.length], [1, 2])
  })

  it('sends nothing after a restart, but after weeks', async () => {
    const first = makeUpdater()
    await first.updater.follow(wish)
    const { updater, sent, time } = makeUpdater(first.path)
    await updater.follow(wish)
    assert.deepEqual(sent, [])
    time.seconds += 25 * 24 * 3600
    await updater.follow(wish)
    assert.equal(sent.length, 2)
  })

  it('waits longer after each failure', async () => {
    const { updater, sent, answers, time } = makeUpdater()
    const pauses: (number | null)[] = []
    for (let round = 0; round < 8; round++) {
      answers.push({ kind: 'later', message: 'it is busy', seconds: null })
      await updater.follow(wish)
      await updater.follow(wish)
      const { retrySeconds } = updater.state()
      pauses.push(retrySeconds)
      time.seconds += retrySeconds ?? 0
    }
    assert.deepEqual(pauses, [60, 120, 240, 480, 960, 1920, 3600, 3600])
    assert.equal(sent.length, 8)
    assert.match(
      updater.state().error ?? '',
      /^dyn\.example did not accept the address for example\.com: it is busy\.$/,
    )
    await updater.follow(wish)
    assert.equal(updater.state().error, null)
  })

  it('stays silent after a refusal until something changes', async () => {
    const { updater, sent, answers, time } = makeUpdater()
    answers.push({ kind: 'refused', message: 'the login or the password is wrong' })
    await updater.follow(wish)
    time.seconds += 1e7
    await updater.follow(wish)
    assert.equal(sent.length, 1)
    assert.equal(updater.state().retrySeconds, null)
    await updater.follow({ ...wish, password: 'right' })
    assert.equal(sent.length, 3)
  })

  it('reads the words of the protocol', () => {
    assert.equal(readAnswer(200, 'good 203.0.113.2\n').kind, 'done')
    assert.equal(readAnswer(200, 'nochg 203.0.113.2').kind, 'done')
    for (const word of ['badauth', '!donator', 'notfqdn', 'nohost', 'numhost', 'abuse', 'badagent'])
      assert.equal(readAnswer(200, word).kind, 'refused', word)
    assert.equal(readAnswer(401, '<html>').kind, 'refused')
    assert.partialDeepStrictEqual(readAnswer(200, '911'), { kind: 'later', seconds: 1800 })
    for (const [status, body] of [
      [200, '<html>captive portal</html>'],
      [502, 'toString'],
      [200, ''],
    ] as const)
      assert.equal(readAnswer(status, body).kind, 'later', body)
  })

  it('speaks HTTPS to a provider that it can trust, and to no other', async () => {
    const { key, chain } = await ensureCertificate(join(folder, 'tls'), ['127.0.0.1'], new Date())
    const seen: unknown[] = []
    const server = createServer({ key, cert: chain }, (request, response) => {
      seen.push([request.method, request.url, request.headers.authorization, request.headers['user-agent']])
      response.end('good 203.0.113.2')
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as AddressInfo
    const url = new URL(`https://127.0.0.1:${port}/nic/update`)
    const update = { ...wish, host: 'www.example.com' }
    assert.deepEqual(await sendUpdate('brand/1')({ url, ca: chain }, update), { kind: 'done' })
    const basic = `Basic ${Buffer.from('me:secret').toString('base64')}`
    assert.deepEqual(seen, [['GET', '/nic/update?hostname=www.example.com&myip=203.0.113.2', basic, 'brand/1']])
    assert.equal((await sendUpdate('brand/1')({ url, ca: null }, update)).kind, 'later')
    assert.equal(seen.length, 1)
    server.close()
  })

  it('takes its server from a file, and only over HTTPS', () => {
    const path = join(folder, 'ddns-server')
    assert.equal(readDdnsServer(path, path), null)
    for (const [text, expected] of [
      ['https://dyn.example/nic/update\n', 'https://dyn.example/nic/update'],
      ['http://dyn.example/nic/update', undefined],
      ['not an address', undefined],
    ] as const) {
      writeFileSync(path, text)
      assert.equal(readDdnsServer(path, join(folder, 'none'))?.url.href, expected)
    }
    assert.ok(existsSync(path))
  })
})

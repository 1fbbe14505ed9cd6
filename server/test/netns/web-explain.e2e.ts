// What explain says about a web request is what happens to it: random rules and requests, each asked of explain and sent by a
// real client through the proxy. Every difference is a fault. PORTCULLIS_SEED repeats a run.

import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { isNightly, Random, seed } from '../security/random.ts'
import { client, otherClient } from '../support/firewall-lab.ts'
import { until } from '../support/until.ts'
import { type WebAnswer, WebClient } from '../support/web-client.ts'
import { type NewRule, namelessAddress, siteAddress, WebLab } from '../support/web-lab.ts'

const ruleSets = isNightly ? 400 : 60
const requestsOfSet = 40
/** Asked at the same time. */
const width = 8

/** The certificate of the sites covers these. */
const secureHosts = [
  'a.sites.test',
  'b.sites.test',
  'c.sites.test',
  'xn--e1afmkfd.sites.test',
  'alcohol.category.example',
  'social-networks.category.example',
  'file-sharing.category.example',
  'www.google.com',
]
const plainHosts = [
  ...secureHosts,
  siteAddress,
  'x.a.sites.test',
  'y.x.a.sites.test',
  'A.Sites.Test',
  namelessAddress,
  'sites.test',
]
const paths = [
  '/',
  '/home',
  '/home/page',
  '/homestead',
  '/search',
  '/get.exe',
  '/a/film.mp4',
  '/doc.pdf',
  '/login',
  '/%68ome',
]
const types = [
  'text/html; charset=utf-8',
  'text/plain',
  'video/mp4',
  'Image/PNG',
  'application/pdf',
  'application/zip',
  'text/plain, video/mp4',
  'application/json',
]
const ruleTypes = ['text/html', 'text/plain', 'video/mp4', 'image/*', 'application/json', 'multipart/form-data']
const methods = ['GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS', 'PATCH']
const entries = [
  'a.sites.test',
  'x.a.sites.test',
  '*.a.sites.test',
  '*.sites.test',
  'sites.test',
  'b.sites.test/home',
  siteAddress,
  'https://c.sites.test',
  'http://c.sites.test:80',
  'b.sites.test',
  'пример.sites.test',
  'a.sites.test/home/page',
  'www.google.com',
  namelessAddress,
  'http://a.sites.test/',
  'b.sites.test:443',
  'b.sites.test/?type',
]
const fixedCategories = [
  'special.id.1',
  'special.id.1',
  'special.id.2',
  'special.id.3',
  'special.id.4',
  'files.id.1',
  'files.id.2',
  'files.id.3',
  'files.id.8',
  'other.id.1',
  'other.id.2',
]

interface Sent {
  readonly url: string
  readonly method: string
  readonly source: string
  readonly address: string
  readonly requestType: string | null
  readonly replyType: string
}

interface Explained {
  readonly verdict: string
  readonly decrypted: boolean
  readonly redirect_url: string | null
  readonly rule: { readonly id: number } | null
}

describe('explain of the content filter', () => {
  let lab: WebLab
  let asker: WebClient
  let authority: string
  let userCategories: string[]
  let others: { readonly aliases: readonly string[]; readonly times: readonly string[]; readonly topic: string }
  const random = new Random(seed)

  before(async () => {
    lab = await WebLab.start()
    await lab.api.ok('PATCH', '/user_cabinet_backend/settings', { enabled: true })
    const group = await lab.users.addGroup('Group')
    const [inside, outside] = [await lab.users.addUser({ parent_id: group }), await lab.users.addUser()]
    const address = await lab.users.firewall.address(client)
    const always = { weekdays: [1, 2, 3, 4, 5, 6, 7], start: '00:00', end: '00:00' }
    const time = (fields: object) => lab.users.firewall.make('time_ranges', { ...always, ...fields })
    const past = { first: 20_000_101_000_000, last: 20_000_102_000_000 }
    const topics = (await lab.api.ok('GET', '/content-filter/categories')) as { id: string; name: string }[]
    others = {
      aliases: ['any', 'any', 'any', address, inside.alias, outside.alias, group],
      times: ['any', 'any', 'any', await time({}), await time({ period: past })],
      topic: topics.find(({ name }) => name === 'Alcohol')?.id ?? '',
    }
    userCategories = []
    for (const name of ['One', 'Two', 'Three']) userCategories.push(await lab.addCategory(name, ['none.sites.test']))
    await lab.filter(true)
    await lab.api.ok('PATCH', '/content-filter/settings', { enabled_extended_categorizer: true })
    await until('there is a category database', async () => {
      return (await lab.api.ok('GET', '/content-filter/database')).state === 'ready'
    })
    await lab.users.signIn(otherClient, inside.login)
    const { subject } = new X509Certificate(readFileSync(join(lab.folder, 'gateway.pem')))
    authority = /CN=(.*)/.exec(subject)?.[1] ?? assert.fail(subject)
    // The proxy opens connections in the name of the client, from the ports of the gateway: these must not be the client's own.
    const range = '/proc/sys/net/ipv4/ip_local_port_range'
    await lab.gateway.exec('client', ['/usr/bin/tee', range], { input: '10000 30000' })
    asker = new WebClient(lab.gateway.stateDir)
  })
  after(async () => {
    await asker.close()
    await lab.stop()
  })

  const some = <T>(values: readonly T[], most: number): T[] => [
    ...new Set(Array.from({ length: 1 + random.below(most) }, () => random.pick(values))),
  ]

  function randomRule(): NewRule {
    const access = random.pick(['allow', 'deny', 'deny', 'bump', 'bump', 'redirect'] as const)
    return {
      access,
      categories: some([...userCategories, ...userCategories, ...fixedCategories, others.topic], 3),
      aliases: [random.pick(others.aliases)],
      timetable: [random.pick(others.times)],
      ...(access === 'redirect' ? { redirect_url: `http://elsewhere.sites.test/${random.below(3)}?a=1&b=2,3` } : {}),
      ...(random.chance(0.25) ? { http_methods: some(methods, 3) } : {}),
      ...(random.chance(0.25) ? { content_types: some(ruleTypes, 2) } : {}),
    }
  }

  function randomRequest(): Sent {
    const isSecure = random.chance(0.4)
    const host = random.pick(isSecure ? secureHosts : plainHosts)
    const replyType = random.pick(types)
    const method = random.pick(methods)
    const hasBody = ['POST', 'PUT', 'PATCH'].includes(method) && random.chance(0.7)
    return {
      url: `${isSecure ? 'https' : 'http'}://${host}${random.pick(paths)}?type=${encodeURIComponent(replyType)}`,
      method,
      replyType,
      source: random.chance(0.5) ? client : otherClient,
      address: host === namelessAddress ? namelessAddress : siteAddress,
      requestType: hasBody ? random.pick([...ruleTypes.filter((type) => !type.endsWith('*')), 'image/png']) : null,
    }
  }

  const send = ({ url, method, source, address, requestType }: Sent, lane: string): Promise<WebAnswer> =>
    asker.ask({
      url,
      method,
      source,
      address,
      ...(url.startsWith('http:') ? { connection: `${source} ${address} ${lane}` } : {}),
      ...(requestType === null ? {} : { body: 5, headers: { 'content-type': requestType } }),
    })

  const explain = ({ url, method, source, requestType, replyType }: Sent): Promise<Explained> =>
    lab.api.ok('POST', '/content-filter/explain', {
      url,
      method,
      source,
      content_type: replyType,
      ...(requestType === null ? {} : { request_type: requestType }),
    })

  const statuses: Readonly<Record<string, number>> = { allow: 200, not_filtered: 200, deny: 403, redirect: 302 }

  async function difference(sent: Sent, lane: string): Promise<string | null> {
    const [said, got] = await Promise.all([explain(sent), send(sent, lane)])
    const isSecure = sent.url.startsWith('https:')
    const wanted = [
      statuses[said.verdict] ?? said.verdict,
      said.verdict === 'redirect' ? said.redirect_url : '',
      isSecure && said.decrypted,
    ]
    const happened = [got.status, got.status === 302 ? got.headers.location : '', isSecure && got.issuer === authority]
    if (JSON.stringify(wanted) === JSON.stringify(happened)) return null
    return JSON.stringify({ sent, said: wanted, rule: said.rule?.id, happened, fault: got.fault })
  }

  it(`says what happens to ${ruleSets * requestsOfSet} requests (seed ${seed})`, async () => {
    const counts = new Map<string, number>()
    const differences: string[] = []
    for (let set = 0; set < ruleSets; set++) {
      // Its connections stay open, and one address may not have many of them.
      if (set % 8 === 7) {
        await asker.close()
        asker = new WebClient(lab.gateway.stateDir)
      }
      if (set === Math.floor(ruleSets * 0.75)) {
        await lab.api.ok('PATCH', '/proxy_backend/safe_search', { enabled: true })
        await lab.answers()
      }
      const calls = userCategories.map((id, index) => ({
        method: 'PUT',
        path: `/content-filter/users_categories/${id}`,
        body: { name: `Category ${index}`, urls: some(entries, 6) },
      }))
      await lab.api.ok('POST', '/config/changes', { calls })
      const rules = Array.from({ length: 1 + random.below(7) }, randomRule)
      await lab.setRules(...rules)
      const requests = Array.from({ length: requestsOfSet }, randomRequest)
      const lanes = Array.from({ length: width }, async (_none, lane) => {
        for (let at = lane; at < requests.length; at += width) {
          const one = requests[at] as Sent
          // Connections from before stay as they are where no rule concerned the client.
          const found = await difference(one, `${set} ${lane}`)
          if (found !== null) differences.push(`set ${set}: ${found}\n  ${JSON.stringify(rules)}`)
        }
      })
      await Promise.all(lanes)
      for (const { url } of requests) {
        const scheme = url.split(':', 1)[0] ?? ''
        counts.set(scheme, (counts.get(scheme) ?? 0) + 1)
      }
      if (differences.length > 20) break
    }
    assert.deepEqual(
      differences,
      [],
      `seed ${seed}: ${differences.length} differences:\n${differences.slice(0, 6).join('\n')}`,
    )
    assert.equal(counts.size, 2)
  })
})

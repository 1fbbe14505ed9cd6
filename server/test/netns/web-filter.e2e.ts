// The content filter by real packets: each verdict on HTTP and on HTTPS, decisions by the name alone, the page of what is denied,
// certificates of the sites, and what passes with its whole bytes.

import assert from 'node:assert/strict'
import { truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, beforeEach, describe, it } from 'node:test'
import { appRoot, runtimePath } from '../../src/tools/launcher/layout.ts'
import { client } from '../support/firewall-lab.ts'
import { until } from '../support/until.ts'
import { type AskOptions, namelessAddress, siteAddress, sites, WebLab } from '../support/web-lab.ts'

const megabyte = 1024 * 1024
/** Where nothing answers. */
const deadAddress = '198.51.100.99'
const all = 'special.id.1'

describe('the content filter', () => {
  let lab: WebLab
  let bad: string
  let pages: string
  before(async () => {
    lab = await WebLab.start()
  })
  after(() => lab.stop())
  beforeEach(() => lab.forget())

  const url = (name: string, scheme = 'https', path = '/') => `${scheme}://${name}.sites.test${path}`
  const spliced = (address: string, options: AskOptions = {}) =>
    lab.expectStatus(address, 200, { trusts: 'sites', ...options })
  const decrypted = (address: string, status = 200, options: AskOptions = {}) =>
    lab.expectStatus(address, status, { trusts: 'gateway', ...options })
  const hostsSeen = async () => (await lab.seen()).requests.map(({ host }) => host)
  const namesSeen = async () => (await lab.seen()).names

  it('takes nothing while it is off', async () => {
    writeFileSync(join(lab.folder, 'gateway.pem'), '')
    writeFileSync(join(lab.folder, 'both.pem'), '')
    const { stdout } = await lab.users.nft('list', 'ruleset')
    assert.ok(!stdout.includes('tproxy'), stdout)
    await lab.expectStatus(url('bad', 'http'), 200, { trusts: 'sites' })
    await spliced(url('bad'))
    const { stdout: listening } = await lab.gateway.exec('gateway', ['/usr/bin/ss', '-Hltn'])
    assert.ok(!/:31(?:2[89]|3\d)\b/.test(listening), listening)
  })

  it('is active with its authority after one call', async () => {
    await lab.filter(true)
    bad = await lab.addCategory('Bad <b>"sites"</b>', ['bad.sites.test', namelessAddress])
    pages = await lab.addCategory('Pages', ['pages.sites.test/secret'])
    await lab.setRules()
    await lab.expectStatus(url('bad', 'http'), 200)
    await spliced(url('bad'))
  })

  it('allows, denies and redirects plain HTTP, and decrypting is nothing to it', async () => {
    await lab.setRules(
      { categories: [bad], access: 'bump' },
      { categories: [bad], access: 'deny', http_methods: ['POST'] },
      { categories: [bad], access: 'allow' },
      { categories: [pages], access: 'redirect', redirect_url: 'http://good.sites.test/else?a=1&b=%22,c' },
      { categories: [all], access: 'deny', aliases: ['any'], http_methods: ['PUT'] },
    )
    const answer = await lab.expectStatus(url('bad', 'http'), 200)
    assert.match(answer.body, /hello from bad\.sites\.test/)
    await lab.expectStatus(url('bad', 'http'), 403, { args: ['-d', 'x=1'] })
    const moved = await lab.expectStatus(url('pages', 'http', '/secret'), 302)
    assert.equal(moved.location, 'http://good.sites.test/else?a=1&b=%22,c')
    await lab.expectStatus(url('pages', 'http', '/other'), 200)
    assert.deepEqual(await hostsSeen(), ['bad.sites.test', 'pages.sites.test'])
  })

  it('judges HTTPS by the name alone, and the certificate of the site reaches the client', async () => {
    await lab.setRules(
      { categories: [bad], access: 'deny' },
      { categories: [pages], access: 'deny' },
      { categories: [all], access: 'redirect', redirect_url: 'http://good.sites.test/' },
    )
    await spliced(url('good'))
    // The page is not known, and a redirection needs decryption.
    await spliced(url('pages', 'https', '/secret'))
    await lab.forget()
    const page = await decrypted(url('bad'), 403)
    assert.ok(page.body.includes('&lt;b&gt;') || page.body.includes('&#60;b&#62;'), page.body)
    assert.ok(!page.body.includes('<b>"sites"'), page.body)
    assert.deepEqual([await hostsSeen(), await namesSeen()], [[], []], 'the site is never contacted')
    assert.equal(
      (await lab.ask(url('bad'), { trusts: 'sites' })).code,
      60,
      'who does not trust the gateway sees an error',
    )
  })

  it('shows the page of a dead site, of an address, and of a site with a faulty certificate', async () => {
    await lab.setRules({ categories: [bad], access: 'deny' }, { categories: ['special.id.4'], access: 'deny' })
    const dead = ['--connect-to', `bad.sites.test:443:${deadAddress}:443`]
    assert.match((await decrypted(url('bad'), 403, { args: dead })).body, /Bad/)
    assert.match((await decrypted(`https://${namelessAddress}/`, 403)).body, /Bad/)
    await decrypted(`https://${siteAddress}/`, 403)
    await lab.expectStatus(`http://${siteAddress}/`, 403)
    for (const version of ['--tlsv1.3', '--tls-max=1.2']) await decrypted(url('bad'), 403, { args: version.split('=') })
    assert.deepEqual(await namesSeen(), [])
    await lab.setRules({ categories: [all], access: 'deny' })
    for (const name of Object.values(sites)) await decrypted(`https://${name}/`, 403)
    assert.deepEqual([await hostsSeen(), await namesSeen()], [[], []])
  })

  it('names the categories in the language of the browser', async () => {
    await lab.setRules(
      { categories: ['special.id.4', 'special.id.3'], access: 'deny' },
      { categories: [bad], access: 'deny' },
    )
    for (const address of [`http://${siteAddress}/`, `https://${siteAddress}/`]) {
      const page = async (language: string) =>
        (await lab.expectStatus(address, 403, { args: ['-H', `Accept-Language: ${language}`] })).body
      assert.match(await page('en-GB,en;q=0.9'), /Direct access by IP address/)
      assert.match(await page('de'), /Direct access by IP address/)
      const russian = await page('ru-RU,ru;q=0.9,en;q=0.5')
      assert.match(unescaped(russian), /Прям|адрес/)
      assert.match(russian, /lang="ru"/)
    }
    const { headers } = await lab.expectStatus(url('bad', 'http'), 403)
    assert.match(headers, /content-type: text\/html/i)
  })

  it('decrypts what a rule says and judges the requests in it', async () => {
    await lab.setRules(
      { categories: [bad, pages], access: 'bump' },
      { categories: [pages], access: 'deny' },
      { categories: [bad], access: 'redirect', redirect_url: 'https://good.sites.test/else' },
    )
    // The entry is a page, so the name alone is in no category and the connection is not decrypted.
    await spliced(url('pages', 'https', '/secret'))
    const moved = await decrypted(url('bad'), 302)
    assert.equal(moved.location, 'https://good.sites.test/else')
    await lab.setRules({ categories: [all], access: 'bump' }, { categories: [pages], access: 'deny' })
    await decrypted(url('pages', 'https', '/open'))
    await decrypted(url('pages', 'https', '/secret'), 403)
    await decrypted(url('good'))
    await lab.setRules({ categories: [bad], access: 'allow' }, { categories: [all], access: 'bump' })
    await spliced(url('bad'))
    await decrypted(url('good'))
  })

  it('hides no fault of a certificate', async () => {
    for (const access of ['allow', 'bump'] as const) {
      await lab.setRules({ categories: [all], access })
      for (const name of Object.values(sites)) {
        const answer = await lab.ask(`https://${name}/`)
        assert.doesNotMatch(answer.body, /hello from/, `${access} ${name}`)
        assert.notEqual(answer.status, 200, `${access} ${name}`)
        // Without decryption the client sees the fault itself.
        if (access === 'allow') assert.equal(answer.code, 60, `${access} ${name}: ${answer.fault} ${answer.headers}`)
      }
      assert.deepEqual(await hostsSeen(), [], 'no request reaches a site that is not who it says')
    }
  })

  it('keeps HTTP/2 where it does not decrypt', async () => {
    await lab.setRules({ categories: [bad], access: 'bump' }, { categories: [pages], access: 'deny' })
    assert.equal((await spliced(url('good'), { args: ['--http2'] })).version, '2')
    assert.equal((await decrypted(url('bad'), 200, { args: ['--http2'] })).version, '1.1')
  })

  it('passes WebSocket in plain text, untouched and decrypted', async () => {
    await lab.setRules({ categories: [bad], access: 'bump' }, { categories: [pages], access: 'deny' })
    const echo = join(appRoot, 'server/test/support/web-socket-echo.ts')
    for (const [address, trusts] of [
      ['ws://good.sites.test/', 'sites'],
      ['wss://good.sites.test/', 'sites'],
      ['wss://bad.sites.test/', 'gateway'],
    ]) {
      const command = [runtimePath(appRoot), echo, address ?? '', join(lab.folder, `${trusts}.pem`), 'over and out']
      const { stdout, stderr } = await lab.gateway.exec('client', command)
      assert.equal(stdout, 'over and out', `${address}: ${stderr}`)
    }
  })

  it('passes large and small bodies whole, both ways and in every form', async () => {
    await lab.setRules({ categories: [bad], access: 'bump' }, { categories: [pages], access: 'deny' })
    const file = join(lab.folder, 'upload')
    writeFileSync(file, '')
    truncateSync(file, 100 * megabyte)
    const curl = async (...args: readonly string[]) => {
      const trusted = ['--cacert', join(lab.folder, 'both.pem'), '-sS', '-o', '/dev/null', '-D', '-']
      const how = ['-w', '\n%{http_code} %{size_download}', ...trusted, ...args]
      return (await lab.gateway.exec('client', ['/usr/bin/curl', ...how])).stdout
    }
    for (const [name, scheme] of [
      ['good', 'http'],
      ['good', 'https'],
      ['bad', 'https'],
    ] as const) {
      const down = await curl(url(name, scheme, `/bytes?n=${300 * megabyte}`))
      assert.ok(down.endsWith(`\n200 ${300 * megabyte}`), `${scheme} ${name} ${down}`)
      const up = await curl('-T', file, url(name, scheme))
      assert.match(up, new RegExp(`x-bytes-of-request: ${100 * megabyte}\r`, 'i'), `${scheme} ${name}`)
      const chunked = await curl(
        '-X',
        'POST',
        '-H',
        'Transfer-Encoding: chunked',
        '-T',
        file,
        '-m',
        '100',
        url(name, scheme),
      )
      assert.match(chunked, new RegExp(`x-bytes-of-request: ${100 * megabyte}\r`, 'i'), `${scheme} ${name} chunked`)
      const packed = await lab.expectStatus(url(name, scheme, '/?coding=gzip&text=packed'), 200, {
        args: ['--compressed'],
      })
      assert.equal(packed.body, 'packed')
    }
  })

  it('goes by new rules with the next request, and drops no download', async () => {
    await lab.setRules({ categories: [bad], access: 'bump' }, { categories: [pages], access: 'deny' })
    const size = 8 * megabyte
    const held = [url('good', 'http'), url('good'), url('bad')].map((address) =>
      lab.gateway.exec('client', [
        '/usr/bin/curl',
        '-sS',
        '--cacert',
        join(lab.folder, 'both.pem'),
        '-o',
        '/dev/null',
        '-w',
        '%{http_code} %{size_download}',
        `${address}held?n=${size}`,
      ]),
    )
    await until('the downloads wait', async () => (await lab.seen()).waiting === 3)
    await lab.setRules({ categories: [all], access: 'deny' })
    for (const address of [url('good', 'http'), url('good'), url('bad')]) await lab.expectStatus(address, 403)
    await lab.release()
    for (const one of held) assert.equal((await one).stdout, `200 ${size}`)
  })

  it('keeps the address of the client in the eyes of the firewall', async () => {
    await lab.setRules({ categories: [bad], access: 'bump' }, { categories: [pages], access: 'deny' })
    const [source, target] = [await lab.users.firewall.address(client), await lab.users.firewall.address(siteAddress)]
    const id = await lab.users.firewall.forward({ source_addresses: [source], destination_addresses: [target] })
    for (const address of [url('good', 'http'), url('good'), url('bad')]) {
      // A connection to the site that waits for another request was judged before the rule; it ends within a second.
      await until(`${address} is refused`, async () => (await lab.statusOf(address, { args: ['-m', '4'] })) !== 200)
    }
    // The filter comes first: what both deny shows its page.
    await lab.setRules({ categories: [all], access: 'deny' })
    await lab.expectStatus(url('good', 'http'), 403)
    await decrypted(url('good'), 403)
    await lab.users.firewall.removeRule('forward', id)
    await lab.setRules({ categories: [bad], access: 'bump' })
    await lab.expectStatus(url('good', 'http'), 200)
  })

  it('takes nothing any more when it is switched off', async () => {
    await lab.setRules({ categories: [all], access: 'deny' })
    await lab.expectStatus(url('good', 'http'), 403)
    await lab.filter(false)
    await lab.expectStatus(url('good', 'http'), 200)
    await spliced(url('bad'))
    assert.ok(!(await lab.users.nft('list', 'ruleset')).stdout.includes('tproxy'))
  })
})

/** Character references as characters. */
const unescaped = (html: string): string =>
  html.replaceAll(/&#([0-9]+);/g, (_whole, code: string) => String.fromCodePoint(Number(code)))

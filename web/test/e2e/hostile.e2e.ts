// A hostile administrator and a hostile network: whatever they write is shown as text, and whatever is in an address opens a
// page that works.

import assert from 'node:assert/strict'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { parseAddress } from '../../../server/src/shared/net/ipv4.ts'
import type { Client } from '../../../server/test/support/test-gateway.ts'
import { pages } from '../../src/pages/index.ts'
import { Actions } from '../support/actions.ts'
import { browserSkip, type ConsolePage, TestBrowser } from '../support/browser.ts'
import { type Console, startConsole } from '../support/console.ts'

const isNightly = process.env.PORTCULLIS_NIGHTLY === '1'
/** By day one page in so many, at night all: they are made by the same few parts. */
const shareOfPages = 4

const markup = '"><b id="hostile">b</b><img src=x onerror=alert(1)>'
const pattern = "{count, plural, one {#} other {'{name}'}} {0} {"
const hidden = '\u202Etxt.exe\u2066 \u200B'
const rest = "__proto__ constructor javascript:alert(1) \u{1F600} ' -- %2e%2e ../"
const hostile = `${markup} ${pattern} ${hidden} ${rest}`
const longWord = 'w'.repeat(200)
const rules = 'policy/rules/forward'

describe('hostile text', { skip: browserSkip }, () => {
  let target: Console
  let browser: TestBrowser
  let admin: Client
  const ids: Record<string, string> = {}
  const make = async (path: string, body: object): Promise<string> => {
    const reply = await admin('POST', path, body)
    assert.equal(reply.status, 200, `${path}: ${JSON.stringify(reply.body)}`)
    return String(reply.body.id)
  }

  before(async () => {
    const lease = {
      address: parseAddress('10.10.0.66') ?? 0,
      mac: '02:00:00:00:10:66',
      hostname: hostile,
      expiresAt: Math.floor(Date.now() / 1000) + 3_600,
    }
    target = await startConsole({ parts: { dhcpLeases: { list: async () => [lease] } } })
    browser = await TestBrowser.start()
    admin = await target.gateway.client('predefined_admin_write')
    ids.address = await make('/aliases/ip_addresses', {
      title: hostile.slice(0, 42),
      comment: hostile,
      value: '192.0.2.7',
    })
    ids.long = await make('/aliases/ip_addresses', {
      title: longWord.slice(0, 42),
      comment: longWord,
      value: '192.0.2.8',
    })
    ids.lease = await make('/dhcp_server/static_leases', {
      enabled: true,
      ip_address: '10.10.0.67',
      mac: '02:00:00:00:10:67',
      comment: hostile,
    })
    await target.change((config) => config, hostile)
    await target.seedRules(6, (index) => ({
      comment: index % 2 === 0 ? hostile.slice(0, 255) : longWord,
      source_addresses: [index % 2 === 0 ? (ids.address ?? '') : (ids.long ?? '')],
    }))
    const line = {
      'oob.prefix': 'FWD 1 drop ',
      'oob.time.sec': Math.floor(Date.now() / 1000),
      'ip.protocol': 6,
      'ip.totlen': 60,
      src_ip: '10.10.0.66',
      dest_ip: '198.51.100.10',
      src_port: 1,
      dest_port: 2,
      'oob.in': markup,
      'oob.out': `${hidden}${pattern}`,
    }
    appendFileSync(join(target.gateway.folder, 'hits.json'), `${JSON.stringify(line)}\n`)
  })
  after(async () => {
    await browser?.close()
    await target?.close()
  })

  /** What is wrong with what is shown now. */
  const faultsOf = async (opened: ConsolePage, place: string): Promise<string[]> => {
    const { page } = opened
    const found = await page.evaluate(() => {
      const wrong: string[] = []
      if (document.getElementById('hostile') || document.querySelector('img[src="x"]'))
        wrong.push('markup became elements')
      for (const link of document.querySelectorAll('a[href]'))
        if (!/^(\/|https:)/.test(link.getAttribute('href') ?? '')) wrong.push(`a link to ${link.getAttribute('href')}`)
      // Characters that turn or hide text are shown as marks; in fields they stay what they are.
      const text = document.body.innerText
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are looked for
      const bare = /[\u0000-\u0008\u000B-\u001F\u200B\u202A-\u202E\u2066-\u2069]/.exec(text)
      if (bare)
        wrong.push(
          `a bare U+${bare[0].charCodeAt(0).toString(16)}: ${text.slice(Math.max(0, bare.index - 60), bare.index + 30)}`,
        )
      return wrong
    })
    const overflow = await opened.overflow()
    if (overflow > 0) found.push(`it is ${overflow} pixels wider than the window`)
    found.push(...(await page.locator('main [role="alert"]').allInnerTexts()))
    const said = opened.takeFaults()
    if (said !== '') found.push(said)
    return found.map((fault) => `${place}: ${fault}`)
  }
  const look = async (opened: ConsolePage, place: string): Promise<string[]> => {
    await opened.go(place)
    await opened.settle()
    await opened.page.locator('main :is(h1, h2, [role="alert"])').first().waitFor()
    await opened.settle()
    return faultsOf(opened, place)
  }

  it('is text on every page that shows it, at a desk and on a narrow screen', async () => {
    const shown = [
      'overview/dashboard',
      'overview/host',
      'overview/host/10.10.0.66',
      rules,
      `${rules}/1`,
      `${rules}/1?tab=history`,
      `${rules}/1?tab=command`,
      `${rules}/2`,
      'policy/hygiene',
      'policy/tracer?p=tcp&s=192.0.2.7&d=198.51.100.10:443',
      'objects/addresses',
      `objects/addresses/${ids.address}`,
      `objects/addresses/${ids.address}?tab=used`,
      'network/dhcp/leases',
      'network/dhcp/static',
      `network/dhcp/static/${ids.lease}`,
      'system/history',
      'system/audit-trail',
      'monitor/logs/firewall',
      'monitor/logs/system',
    ]
    const faults: string[] = []
    for (const width of [1280, 768, 390]) {
      await using opened = await browser.openAs(target, 'predefined_admin_write', 'overview/health', {
        viewport: { width, height: 800 },
      })
      await opened.page.locator('main h1').waitFor()
      for (const place of shown) faults.push(...(await look(opened, place)).map((fault) => `${width} ${fault}`))
      await opened.close().catch((error: Error) => faults.push(error.message))
    }
    assert.deepEqual(faults, [])
  })

  it('in an address opens a page that works', async () => {
    const odd = encodeURIComponent(hostile)
    const places = [
      `${rules}/999999`,
      `${rules}/constructor`,
      `${rules}/__proto__`,
      `${rules}/${odd}`,
      `${rules}/%E0%A4%A`,
      `${rules}/1/2/3`,
      `${rules}?q=${odd}`,
      `${rules}?q=touches:${odd}`,
      `${rules}?q=constructor:x`,
      `${rules}?__proto__=1&constructor=2&q[]=3`,
      `${rules}/new?copy=x&after=__proto__&action=constructor&protocol=__proto__&port=-1&source=${odd}&in=${odd}`,
      `${rules}?q=${'x'.repeat(6_000)}`,
      `${rules}?import=1`,
      `${rules}/1?tab=constructor`,
      `objects/addresses/${odd}`,
      'objects/addresses/new?kind=constructor',
      'objects/addresses?sort=__proto__&kind=constructor',
      'objects/addresses/new?kind=__proto__&copy=constructor',
      `objects/addresses/${ids.address}?tab=__proto__`,
      'network/dhcp/static/999',
      'network/dhcp/static/__proto__',
      'network/dhcp/static?sort=constructor&q=(',
      'system/history/-1',
      'system/history/999999',
      'system/history/abc',
      'system/history?from=x&until=y&object=[&who=__proto__',
      'monitor/logs/firewall?from=abc&until=-1',
      'monitor/logs/firewall?from=99999999999999999999&until=1',
      'monitor/logs/firewall?from=constructor',
      'monitor/logs/firewall?from=1e300&until=1e308',
      `monitor/logs/firewall?table=${odd}&rule_id=${odd}`,
      'monitor/logs/system?from=__proto__',
      'monitor/logs/traffic?from=abc&src_ip=x',
      'monitor/logs/portal?sort=x',
      'policy/tracer?p=__proto__&s=x&d=y:99999&in=constructor',
      'policy/tracer?p=tcp&s=10.1.1.1&d=198.51.100.10&rev=abc',
      'policy/tracer?p=tcp&s=10.1.1.1&d=198.51.100.10&rev=-5',
      'overview/host/999.1.1.1',
      'overview/host/__proto__',
      'overview/host/10.10.0.66/../../x',
      'people/users/user.id.999',
      'people/users/__proto__',
      'network/connections/999',
      'network/connections/constructor',
      'protection/intrusion-prevention/signatures?q=(&sort=__proto__',
    ]
    await using opened = await browser.openAs(target, 'predefined_admin_write', 'overview/health')
    await opened.page.locator('main h1').waitFor()
    opened.log.allow(/refused: (400|404|422) /)
    const faults: string[] = []
    for (const place of places) faults.push(...(await look(opened, place)))
    await opened.close().catch((error: Error) => faults.push(error.message))
    assert.deepEqual(faults, [])
  })

  it('on a page as an item and in the search leaves it working', async () => {
    await using opened = await browser.openAs(target, 'predefined_admin_write', 'overview/health')
    await opened.page.locator('main h1').waitFor()
    opened.log.allow(/refused: (400|404|422) /)
    const faults: string[] = []
    const chosen = pages.filter((_, index) => isNightly || index % shareOfPages === 0)
    for (const { path } of chosen)
      faults.push(
        ...(await look(opened, `${path}/__proto__?q=%28%22%7B&sort=constructor&tab=__proto__&from=x&kind=toString`)),
      )
    await opened.close().catch((error: Error) => faults.push(error.message))
    assert.deepEqual(faults, [])
  })

  it('in the names of columns of a file is only a column that is not used', async () => {
    await using opened = await browser.openAs(target, 'predefined_admin_write', rules)
    const { page } = opened
    await page.getByRole('grid').waitFor()
    const file = `constructor,__proto__,toString,comment,action\nx,y,z,${JSON.stringify('<b id=hostile>')},drop\n`
    await new Actions(opened).drop(page.getByRole('grid'), 'constructor.csv', file)
    const drawer = page.getByRole('dialog', { name: 'Import FORWARD rules' })
    await drawer.getByText('Columns that are not used: constructor, __proto__, toString').waitFor()
    await drawer.getByText('1 rule, no faults').waitFor()
    assert.deepEqual(await faultsOf(opened, 'import'), [])
    await opened.close()
  })
})

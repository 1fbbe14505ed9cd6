// Markup in every text that any call takes and in every column of every log, then every page in both languages, its first row and
// what adds: nothing becomes an element, no script runs, the policy has nothing to stop and the page works.
// By day a page is looked at in one language, at night in both.
// Requirement 38.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { logsService } from '../../../server/src/areas/logs/service.ts'
import { parseAddress } from '../../../server/src/shared/net/ipv4.ts'
import { pages } from '../../src/pages/index.ts'
import { browserSkip, type ConsolePage, TestBrowser } from '../support/browser.ts'
import { type Console, startConsole } from '../support/console.ts'
import { furnish } from '../support/furnish.ts'
import { hostileId, hostileName, hostileRecords, type Seeded, seedHostile } from '../support/hostile-seed.ts'
import { touchPage } from '../support/touch-page.ts'

const isNightly = process.env.PORTCULLIS_NIGHTLY === '1'
const markup = `<b id=${hostileId}><img src=x onerror=${hostileName}=1>`

/** What ends this session or the gateway, or what others of these calls need. */
const leftOut =
  /^(?:DELETE|\S+ \/(?:web\/auth|web\/admins|web\/session|backup|config\/(?:revert|confirm|together|changes))\b)/

describe('markup in every kind of text', { skip: browserSkip }, () => {
  let target: Console
  let browser: TestBrowser
  let seeded: Seeded
  before(async () => {
    const lease = {
      address: parseAddress('10.10.0.66') ?? 0,
      mac: '02:00:00:00:10:66',
      hostname: markup,
      expiresAt: Math.floor(Date.now() / 1000) + 3_600,
    }
    target = await startConsole({ parts: { dhcpLeases: { list: async () => [lease] } } })
    await target.seedRules(3, () => ({ comment: markup }))
    const client = await target.gateway.client('predefined_admin_write')
    await furnish(client)
    seeded = await seedHostile(client, (name) => leftOut.test(name))
    await target.change((config) => config, markup)
    target.gateway.services.of(logsService).append(hostileRecords(Date.now()))
    browser = await TestBrowser.start()
  })
  after(async () => {
    await browser?.close()
    await target?.close()
  })

  it('is stored by most calls that take text, and is the cause of no fault', (t) => {
    t.diagnostic(`${seeded.calls.length} calls: ${seeded.calls.join(', ')}`)
    assert.deepEqual(seeded.faults, [])
    assert.ok(seeded.calls.length >= 40, `only ${seeded.calls.length} calls stored it: ${seeded.calls.join(', ')}`)
  })

  const faultsOf = async ({ page }: ConsolePage): Promise<string[]> =>
    page.evaluate(
      ([id, name]) => {
        const wrong: string[] = []
        if (document.getElementById(id ?? '') || document.querySelector('img[src="x"], svg[onload]'))
          wrong.push('markup became elements')
        if ((name ?? '') in window) wrong.push('a script ran')
        for (const link of document.querySelectorAll('a[href], area[href], form[action], iframe, object, embed')) {
          const to = link.getAttribute('href') ?? link.getAttribute('action') ?? 'a frame'
          if (!/^(\/|https:|blob:https:)/.test(to)) wrong.push(`a link to ${to}`)
        }
        return wrong
      },
      [hostileId, hostileName],
    )

  for (const [language, share] of [
    ['en-US', 0],
    ['ru-RU', 1],
  ] as const) {
    it(`is text on every page (${language})`, async (t) => {
      const chosen = pages.filter((_, index) => isNightly || index % 2 === share)
      await using opened = await browser.openAs(target, 'predefined_admin_write', 'overview/health', { language })
      await opened.page.locator('main h1').waitFor()
      opened.page.on('dialog', (dialog) => {
        dialogs.push(dialog.message())
        void dialog.dismiss()
      })
      const dialogs: string[] = []
      const faults: string[] = []
      let seen = 0
      for (const { path } of chosen) {
        await opened.go(path)
        await opened.settle()
        await opened.page.locator('main :is(h1, h2, [role="alert"])').first().waitFor()
        await opened.settle()
        const found = [
          ...(await faultsOf(opened)),
          ...(await opened.page.locator('main [role="alert"]').allInnerTexts()),
        ]
        if ((await opened.page.locator('main').innerText()).includes(`id=${hostileId}`)) seen++
        found.push(...(await touchPage(opened, path)), ...(await faultsOf(opened)), opened.takeFaults())
        faults.push(...found.filter((fault) => fault.trim() !== '').map((fault) => `${path}: ${fault}`))
      }
      t.diagnostic(`${seen} of ${chosen.length} pages show it`)
      assert.deepEqual([...faults, ...dialogs], [])
      assert.ok(seen >= 10, `only ${seen} pages show it`)
      await opened.close()
    })
  }
})

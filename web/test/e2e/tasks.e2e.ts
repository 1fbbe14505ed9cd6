// What administrators do, within the number of actions that the design allows; tasks of rules, history and the overview are beside
// their pages. What was changed is looked up at the gateway.

import assert from 'node:assert/strict'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import type { Client } from '../../../server/test/support/test-gateway.ts'
import { until } from '../../../server/test/support/until.ts'
import { type Actions, withinActions } from '../support/actions.ts'
import { browserSkip, type ConsolePage, TestBrowser } from '../support/browser.ts'
import { type Console, startConsole } from '../support/console.ts'

const host = '10.10.0.21'
const server = '198.51.100.10'
const rules = 'policy/rules/forward'
const count = 12

interface Rule {
  readonly id: number
  readonly action: string
  readonly comment: string
  readonly source_addresses: readonly string[]
}

describe('a task of an administrator', { skip: browserSkip }, () => {
  let target: Console
  let browser: TestBrowser
  let admin: Client
  let office = ''

  const make = async (path: string, body: object): Promise<string> => {
    const reply = await admin('POST', path, body)
    assert.equal(reply.status, 200, JSON.stringify(reply.body))
    return String(reply.body.id)
  }
  const forward = async (): Promise<readonly Rule[]> => (await admin('GET', '/firewall/rules/forward')).body
  /** What rules record, as the kernel's reader writes it. */
  const record = (prefix: string, port: number): void => {
    const line = {
      'oob.prefix': `${prefix} `,
      'oob.time.sec': Math.floor(target.clock.now().getTime() / 1000),
      'ip.protocol': 6,
      'ip.totlen': 60,
      src_ip: host,
      dest_ip: server,
      src_port: 41_528,
      dest_port: port,
      'oob.in': 'lan0',
      'oob.out': 'wan0',
    }
    appendFileSync(join(target.gateway.folder, 'hits.json'), `${JSON.stringify(line)}\n`)
  }

  before(async () => {
    target = await startConsole()
    browser = await TestBrowser.start()
    admin = await target.gateway.client('predefined_admin_write')
    const network = await make('/aliases/networks', { title: 'Reception network', comment: '', value: '10.10.0.16/28' })
    office = await make('/aliases/lists/addresses', { title: 'Office', comment: '', values: [network] })
    await target.seedRules(count, (index) => ({
      action: index === 3 ? 'drop' : 'accept',
      protocol: 'protocol.tcp',
      comment: `Rule ${index + 1} of the branch`,
      source_addresses: index === 3 ? [office] : ['any'],
      ...(index === 3 ? {} : { enabled: false }),
    }))
    record('FWD 4 drop', 8443)
    record('FWD 9 accept', 443)
  })
  after(async () => {
    await browser?.close()
    await target?.close()
  })

  const withPage = async (path: string, work: (page: Page, opened: ConsolePage) => Promise<void>): Promise<void> => {
    await using opened = await browser.openAs(target, 'predefined_admin_write', path)
    await opened.page.getByRole('heading', { level: 1 }).waitFor()
    await opened.settle()
    await work(opened.page, opened)
    await opened.close()
  }
  /** One task on one page. */
  const task = (
    title: string,
    limit: number,
    path: string,
    work: (actions: Actions, page: Page, opened: ConsolePage) => Promise<void>,
  ): void => {
    it(title, () =>
      withPage(path, (page, opened) => withinActions(opened, limit, title, (actions) => work(actions, page, opened))),
    )
  }
  const reviewOf = (page: Page): Locator =>
    page.getByRole('dialog').filter({ has: page.getByRole('button', { name: 'Back to editing' }) })
  /** What it changes is told, and then it is applied. */
  const apply = async (page: Page, actions: Actions): Promise<void> => {
    const drawer = reviewOf(page)
    await drawer.getByRole('heading', { name: 'Changes', exact: true }).waitFor()
    await actions.press('Control+Enter')
    await drawer.waitFor({ state: 'detached' })
  }
  const rowOf = (page: Page, text: string): Locator => page.getByRole('row').filter({ hasText: text })
  const comesTo = (page: Page, path: string): Promise<void> =>
    page.waitForURL(({ pathname, search }) => decodeURIComponent(pathname + search).startsWith(`/ui/${path}`))
  const heading = (page: Page, name: string | RegExp): Promise<void> =>
    page.getByRole('heading', { level: 1, name }).waitFor()
  describe('that is frequent', () => {
    task('6: from a rule to its lines', 1, rules, async (actions, page) => {
      await page.getByRole('gridcell', { name: 'Rule 4 of the branch' }).click()
      await actions.press('l')
      await comesTo(page, 'monitor/logs/firewall?table=FWD&rule_id=4')
      await rowOf(page, ':8443').waitFor()
    })

    task('8: where an object is used', 1, 'objects/addresses', async (actions, page) => {
      await actions.click(rowOf(page, 'Office').getByRole('link', { name: 'Used 1 times' }))
      await page.getByRole('dialog').getByRole('link', { name: /4/ }).first().waitFor()
    })

    task('8: which objects are unused', 1, 'objects/addresses', async (actions, page) => {
      await make('/aliases/ip_addresses', { title: 'Spare', comment: '', value: '192.0.2.99' })
      await rowOf(page, 'Spare').waitFor()
      await actions.click(page.getByRole('switch', { name: 'Unused' }))
      await rowOf(page, 'Office').waitFor({ state: 'detached' })
      await rowOf(page, 'Spare').waitFor()
    })

    task('12: block a host', 3, `overview/host/${host}`, async (actions, page) => {
      await actions.press('b')
      await comesTo(page, `${rules}/new`)
      await page.getByText('Goes to position 1').waitFor()
      await actions.press('Control+Enter')
      await apply(page, actions)
      const [first] = await forward()
      assert.deepEqual([first?.action, first?.comment], ['drop', 'reception'])
    })
  })

  describe('that is stressful', () => {
    task('B: why is it blocked', 2, 'network/dhcp/leases', async (actions, page) => {
      await actions.press('Control+k')
      await actions.type(`10.10.0.22 -> ${server}:443\n`)
      await comesTo(page, 'policy/tracer')
      const verdict = page.locator('[data-verdict]')
      await verdict
        .getByText(/FORWARD/)
        .first()
        .waitFor()
      assert.equal(await verdict.getAttribute('data-verdict'), 'drop')
    })

    task('D: who changed it, when and why', 2, 'objects/addresses', async (actions, page) => {
      const renamed = await admin('PATCH', `/aliases/lists/addresses/${office}`, { comment: 'ticket 77' })
      assert.equal(renamed.status, 200)
      await actions.click(rowOf(page, 'Office').getByText('Office', { exact: true }))
      const drawer = page.getByRole('dialog')
      await actions.click(drawer.getByRole('tab', { name: 'History' }))
      await drawer.getByText('ticket 77').waitFor()
      await drawer
        .getByRole('link', { name: /^revision \d+$/ })
        .first()
        .waitFor()
    })

    task('F: a new branch is seven pages', 7, 'overview/set-up', async (actions, page) => {
      const steps = page.locator('[data-step]')
      await steps.first().waitFor()
      const names = await steps.evaluateAll((all) => all.map((one) => one.getAttribute('data-step') ?? ''))
      assert.equal(names.length, 7)
      for (const name of names) {
        const step = page.locator(`[data-step="${name}"]`)
        await step.and(page.locator('[data-state="done"], [data-state="open"]')).waitFor()
        await actions.click(step.getByRole('link').first())
        await page.waitForURL(({ pathname }) => pathname !== '/ui/overview/set-up')
        await page.getByRole('heading', { level: 1 }).waitFor()
        await page.goBack()
        await heading(page, 'Set-up list')
      }
    })

    task('G: one user is slow', 2, 'network/dhcp/leases', async (actions, page) => {
      await actions.click(page.getByRole('link', { name: host }))
      await heading(page, host)
      await page.getByRole('grid', { name: 'Sessions now' }).getByText(`${server}:443`).waitFor()
      await page.getByRole('button', { name: /^Trace/ }).waitFor()
      await actions.press('Space')
      await page.getByRole('button', { name: /^Go on/ }).waitFor()
    })

    it('H: a certificate runs out', async () => {
      const checks = async (): Promise<{ id: string; state: string; message: string }[]> =>
        (await admin('GET', '/health')).body.checks
      const certificate = async () => (await checks()).find(({ id }) => id === 'certificate.management')
      const [, days = ''] = /for (\d+) more days/.exec((await certificate())?.message ?? '') ?? []
      target.clock.advance((Number(days) - 10) * 86_400)
      admin = await target.gateway.client('predefined_admin_write')
      await until('it is found', async () => (await certificate())?.state === 'warning')
      await withPage(rules, (page, opened) =>
        withinActions(opened, 2, 'what to do about a certificate', async (actions) => {
          await actions.press('g d')
          await actions.click(page.getByRole('link', { name: 'Management certificate' }))
          await heading(page, 'Health')
          await page.getByText(/^It is valid until \S+, for (9|10) more days/).waitFor()
        }),
      )
    })
  })
})

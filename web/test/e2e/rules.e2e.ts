// Tables of rules in a browser: rules are added here, moved, changed by the hundred and imported by the thousand; ten thousand of
// them stay quick, and every path takes the actions that the design says.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page, Request } from 'playwright-core'
import { forwardRules } from '../../../server/src/areas/firewall/config.ts'
import { read } from '../../../server/src/core/model/slots.ts'
import type { Client } from '../../../server/test/support/test-gateway.ts'
import { until } from '../../../server/test/support/until.ts'
import { withinActions } from '../support/actions.ts'
import { browserSkip, type ConsolePage, TestBrowser } from '../support/browser.ts'
import { type Console, startConsole } from '../support/console.ts'
import { assertDone } from '../support/last-screen.ts'

const table = 'policy/rules/forward'

describe('the table of rules', { skip: browserSkip }, () => {
  let gateway: Console
  let browser: TestBrowser
  let admin: Client
  const ids = { office: '', server: '', https: '', list: '', before: '' }
  before(async () => {
    gateway = await startConsole()
    browser = await TestBrowser.start()
    admin = await gateway.gateway.client('predefined_admin_write')
    const make = async (name: keyof typeof ids, path: string, body: object): Promise<void> => {
      const { status, body: reply, text } = await admin('POST', path, body)
      assert.equal(status, 200, text)
      ids[name] = reply.id
    }
    await make('office', '/aliases/networks', { title: 'Office', value: '10.1.2.0/24' })
    await make('server', '/aliases/ip_addresses', { title: 'Server', value: '10.10.0.11' })
    await make('https', '/aliases/ports', { title: 'https', value: 443 })
    await make('list', '/aliases/lists/addresses', { title: 'Servers', values: [ids.server] })
    await make('before', '/firewall/rules/forward/before', { action: 'drop', comment: 'Of the head office' })
  })
  after(async () => {
    await browser?.close()
    await gateway?.close()
  })

  const seed = (count: number, rule: (index: number) => object = () => ({})): Promise<void> =>
    gateway.seedRules(count, (index) => ({
      protocol: 'protocol.tcp',
      source_addresses: [index % 2 === 0 ? ids.office : ids.server],
      destination_addresses: [ids.list],
      destination_ports: [ids.https],
      comment: `Rule ${index + 1} of the ${index % 2 === 0 ? 'office' : 'branch'}`,
      ...rule(index),
    }))
  const stored = () => read(gateway.gateway.engine.config, forwardRules)
  const comments = (): readonly string[] => stored().map(({ comment }) => comment)
  const revision = (): number => gateway.gateway.engine.revision
  const open = (path = table, role?: Parameters<TestBrowser['openAs']>[1]): Promise<ConsolePage> =>
    browser.openAs(gateway, role, path)
  const row = (page: Page, index: number) => page.locator(`[role="grid"] [data-row="${index}"]`)
  const comment = (page: Page, index: number) => row(page, index).locator('[role="gridcell"]').last()
  const check = (page: Page, index: number) => row(page, index).locator('[role="gridcell"]').first()
  const review = (page: Page) =>
    page.getByRole('dialog').filter({ has: page.getByRole('button', { name: 'Back to editing' }) })
  const done = (opened: ConsolePage, task: string): Promise<void> =>
    assertDone(opened, task, { heading: 'FORWARD rules' })
  const ready = (page: Page) => row(page, 0).waitFor()
  /** Calls of the page that change something or read the list. */
  const calls = (page: Page): string[] => {
    const seen: string[] = []
    page.on('request', (request: Request) => {
      const path = new URL(request.url()).pathname
      if (/^\/(firewall\/rules|config\/changes)/.test(path) && !/\/(before|after)$/.test(path))
        seen.push(`${request.method()} ${path}`)
    })
    return seen
  }

  it('takes a rule right where the person is, within five actions', async () => {
    await seed(8)
    await using opened = await open()
    const { page } = opened
    await ready(page)
    await withinActions(opened, 5, 'Adding a rule here', async (actions) => {
      await actions.click(comment(page, 2))
      await actions.press('o')
      await page.getByText('Goes to position 4, right after rule').waitFor()
      await actions.type('10.77.0.1\n')
      await page.getByRole('dialog').getByText('10.77.0.1').first().waitFor()
      await actions.press('Control+Enter')
      await review(page).getByText('added', { exact: true }).first().waitFor()
      await actions.press('Control+Enter')
      await review(page).waitFor({ state: 'detached' })
    })
    assert.equal(stored().length, 9)
    assert.deepEqual(
      [comments()[2], comments()[3], comments()[4]],
      ['Rule 3 of the office', '', 'Rule 4 of the branch'],
    )
    assert.match(stored()[3]?.source_addresses[0] ?? '', /^ip\.id\./)
    await done(opened, 'add')
    await opened.close()
  })

  it('moves a rule within three actions and with one call, and a block with one revision', async () => {
    await seed(12)
    await using opened = await open()
    const { page } = opened
    await ready(page)
    await opened.settle()
    const seen = calls(page)
    await withinActions(opened, 3, 'Moving a rule', async (actions) => {
      await actions.click(comment(page, 4))
      await actions.press('Alt+ArrowUp')
      await page.getByText('Not applied yet').waitFor()
      await actions.press('Control+Enter')
      await page.getByText('Not applied yet').waitFor({ state: 'detached' })
    })
    assert.deepEqual(comments().slice(3, 5), ['Rule 5 of the office', 'Rule 4 of the branch'])
    await opened.settle()
    assert.deepEqual(seen, ['PATCH /firewall/rules/forward/move', 'GET /firewall/rules/forward'])

    const start = revision()
    await check(page, 0).click()
    await check(page, 2).click({ modifiers: ['Shift'] })
    await page.keyboard.press('m')
    await page.getByLabel('To position').fill('6')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByText('Not applied yet').waitFor()
    await page.keyboard.press('Control+Enter')
    await page.getByText('Not applied yet').waitFor({ state: 'detached' })
    assert.equal(revision(), start + 1)
    assert.deepEqual(comments().slice(5, 8), ['Rule 1 of the office', 'Rule 2 of the branch', 'Rule 3 of the office'])
    await done(opened, 'move')
    await opened.close()
  })

  it('shows switches and comments as not applied until they are reviewed', async () => {
    await seed(4)
    await using opened = await open()
    const { page } = opened
    await ready(page)
    const start = revision()
    await row(page, 1).getByRole('switch').click()
    await comment(page, 2).dblclick()
    await page.getByLabel(/^Comment of rule/).fill('<b>Ticket</b>')
    await page.keyboard.press('Enter')
    await page.getByText('Not applied yet: Change 2 rules').waitFor()
    assert.equal(revision(), start)
    await page.keyboard.press('Control+Enter')
    await review(page).getByText('<b>Ticket</b>').waitFor()
    await page.keyboard.press('Control+Enter')
    await review(page).waitFor({ state: 'detached' })
    assert.deepEqual([stored()[1]?.enabled, comments()[2]], [false, '<b>Ticket</b>'])
    assert.equal(revision(), start + 1)
    await done(opened, 'switch and comment')
    await opened.close()
  })

  it('changes one field of two hundred rules within six actions as one revision', async () => {
    await seed(400)
    await using opened = await open()
    const { page } = opened
    await ready(page)
    const start = revision()
    await withinActions(opened, 6, 'Changing 200 rules', async (actions) => {
      await actions.type('/comment:office\n')
      await page.getByText('200 of 400').waitFor()
      await actions.press('Control+a')
      await actions.press('e')
      await page.getByRole('dialog', { name: 'Edit 200 rules' }).waitFor()
      await actions.type('action=drop')
      await page.getByText('200 rules change').waitFor()
      await actions.press('Control+Enter')
      await review(page).getByText('Changes', { exact: true }).waitFor()
      await actions.press('Control+Enter')
      await review(page).waitFor({ state: 'detached' })
    })
    assert.equal(revision(), start + 1)
    assert.equal(stored().filter(({ action }) => action === 'drop').length, 200)
    await done(opened, 'bulk edit')
    await opened.close()
  })

  it('imports two thousand rules, mends a fault in its cell and applies them as one revision within five actions', async () => {
    await seed(3)
    const lines = Array.from({ length: 2_000 }, (_, at) =>
      [
        'accept',
        at === 1_500 ? 'Nowhere' : 'Office',
        'tcp',
        at % 2 === 0 ? 'https' : '443',
        `"Import, ${at + 1}"`,
      ].join(','),
    )
    const file = Buffer.from(['action,source,protocol,port,comment', ...lines].join('\r\n'))
    await using opened = await open(`${table}?import=1`)
    const { page } = opened
    const start = revision()
    // Beside the drop of the file and the double click on the cell.
    await withinActions(opened, 5 - 2, 'Importing 2,000 rules', async (actions) => {
      await page.locator('input[type="file"]').setInputFiles({ name: 'rules.csv', mimeType: 'text/csv', buffer: file })
      await page.getByText('2,000 rules, 1 with faults').waitFor()
      const fault = page.locator('[data-fault]')
      assert.match((await fault.getAttribute('data-fault')) ?? '', /no object called Nowhere/)
      await fault.dblclick()
      await actions.type('Office', page.getByLabel('Source of line 1502'))
      await page.getByText('2,000 rules, no faults').waitFor()
      await actions.press('Control+Enter')
      await review(page).getByText('Changes', { exact: true }).waitFor()
      await actions.press('Control+Enter')
      await review(page).waitFor({ state: 'detached' })
    })
    assert.equal(revision(), start + 1)
    assert.equal(stored().length, 2_003)
    assert.deepEqual([comments()[3], comments()[2_002]], ['Import, 1', 'Import, 2000'])
    await done(opened, 'import')
    await opened.close()
  })

  it('stays small and quick with ten thousand rules', async () => {
    await seed(10_000)
    await using opened = await open()
    const { page } = opened
    await ready(page)
    await page.getByText('10,000 rules').first().waitFor()
    await opened.settle()
    const seen = calls(page)
    const mostRows = async (): Promise<number> => page.locator('[role="grid"] [data-row]').count()
    await comment(page, 0).click()
    for (const key of ['PageDown', 'PageDown', 'Control+End', 'PageUp', 'Control+Home', 'PageDown']) {
      await page.keyboard.press(key)
      assert.ok((await mostRows()) <= 80, `${await mostRows()} rows after ${key}`)
    }
    await page.keyboard.press('Control+End')
    await page.getByText('Rule 10000 of the branch').waitFor()
    await page.keyboard.type('/"Rule 777"\n')
    await page.getByText('11 of 10,000').waitFor()
    // True positions stay.
    await row(page, 1).getByText('7770', { exact: true }).waitFor()
    assert.deepEqual(seen, [], 'scrolling and filtering ask nothing')
    await check(page, 0).click()
    await page.keyboard.press('m')
    await page.getByLabel('To position').fill('9000')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByText('Not applied yet').waitFor()
    await page.keyboard.press('Control+Enter')
    await page.getByText('Not applied yet').waitFor({ state: 'detached' })
    await opened.settle()
    assert.deepEqual(seen, ['PATCH /firewall/rules/forward/move', 'GET /firewall/rules/forward'])
    assert.equal(comments()[8_999], 'Rule 777 of the office')
    await opened.close()
  })

  it('shows hits as they come, in visible cells only', async () => {
    await seed(3)
    const { hitCounts } = gateway.gateway.applier
    await using opened = await open()
    const { page } = opened
    await ready(page)
    const [first] = stored()
    assert.ok(first)
    await opened.settle()
    hitCounts.set(`firewall.forward[${first.id}]`, 4_711)
    await row(page, 0).locator('[data-hits="4711"]').waitFor()
    await row(page, 0)
      .getByRole('img', { name: /hits in the last five minutes/ })
      .waitFor()
    await opened.close()
  })

  it('marks shadowed rules, and shows the rules of the central console around its own', async () => {
    await seed(2, (index) => ({ action: index === 0 ? 'drop' : 'accept', source_addresses: [ids.office] }))
    await using opened = await open()
    const { page } = opened
    await row(page, 1).getByText('shadowed by 1', { exact: true }).waitFor()
    await page.getByText('1 rule of the central console before (read only)').waitFor()
    await page.keyboard.type('/is:shadowed\n')
    await page.getByText('1 of 2').waitFor()
    await opened.close()
  })

  it('finds the rules that touch an address, inside objects too, within three actions', async () => {
    await seed(6, (index) => (index < 4 ? {} : { source_addresses: [ids.server], destination_addresses: ['any'] }))
    await using opened = await open('policy/hygiene')
    const { page } = opened
    await opened.settle()
    await withinActions(opened, 3, 'Finding the rules of an address', async (actions) => {
      await actions.press('Control+k')
      await actions.type('10.1.2.40')
      await actions.click(page.getByRole('option', { name: /Rules that touch it/ }))
      await page.getByText('2 of 6').waitFor()
    })
    assert.match(page.url(), /touches(%3A|:)10\.1\.2\.40/)
    await opened.close()
  })

  it('refuses beside the field, and keeps what was written', async () => {
    await seed(1)
    const made = await admin('POST', '/aliases/ip_addresses', { title: 'For a short time', value: '10.9.9.9' })
    await using opened = await open(`${table}/new?source=10.9.9.9&protocol=tcp`)
    const { page } = opened
    opened.log.allow(/refused: 422 POST/)
    await page.getByRole('dialog').getByText('For a short time').first().waitFor()
    await page.getByLabel('Comment').fill('Kept')
    assert.equal((await admin('DELETE', `/aliases/ip_addresses/${made.body.id}`)).status, 200)
    await page.keyboard.press('Control+Enter')
    const source = page.getByLabel('Source', { exact: true })
    await until('the fault stands at its field', async () => (await source.getAttribute('aria-invalid')) === 'true')
    assert.equal(await page.getByLabel('Comment').inputValue(), 'Kept')
    await opened.close()
  })

  it('is readable and not changeable for who may only look', async () => {
    await seed(2)
    await using opened = await open(table, 'predefined_admin_readonly')
    const { page } = opened
    await ready(page)
    assert.equal(await row(page, 0).getByRole('switch').getAttribute('aria-disabled'), 'true')
    const add = page.getByRole('button', { name: 'Rule', exact: true })
    await add.hover()
    await page
      .getByText(/Needs the role/)
      .first()
      .waitFor()
    await comment(page, 0).click()
    await page.keyboard.press('o')
    await page
      .getByText(/Needs the role/)
      .first()
      .waitFor()
    assert.doesNotMatch(page.url(), /new/)
    await opened.close()
  })

  it('merges with a second administrator, and asks where both changed the same', async () => {
    await seed(2)
    const [first, second] = stored()
    assert.ok(first && second)
    await using opened = await open(`${table}/${first.id}`)
    const { page } = opened
    opened.log.allow(/refused: 412 PATCH/)
    await page.getByLabel('Comment').fill('mine')
    await admin('PATCH', `/firewall/rules/forward/${second.id}`, { comment: 'theirs' })
    await page.keyboard.press('Control+Enter')
    await review(page).getByText('mine').first().waitFor()
    await page.keyboard.press('Control+Enter')
    await review(page).waitFor({ state: 'detached' })
    await until('both changes are there', () => comments().join() === 'mine,theirs')
    await done(opened, 'merge')
    await opened.close()
  })
})

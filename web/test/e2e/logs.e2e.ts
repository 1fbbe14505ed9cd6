// The log explorer in the lab, with packets that were really refused: live lines, facets, histogram, from a line to its rule, and a rule from a line.
// Own process: it starts a lab.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { ApiClient } from '../../../server/test/support/api-client.ts'
import { type LabGateway, startGateway } from '../../../server/test/support/lab-gateway.ts'
import { lacking } from '../../../server/test/support/requires.ts'
import { until } from '../../../server/test/support/until.ts'
import { Wire } from '../../../server/test/support/wire.ts'
import { withinActions } from '../support/actions.ts'
import { findBarriers } from '../support/axe.ts'
import { browserSkip, type ConsolePage, TestBrowser } from '../support/browser.ts'
import { labConsole } from '../support/console.ts'

const password = 'correct horse 9'
const client = '10.10.0.2'
const server = '198.51.100.20'

describe('logs in the lab', { skip: browserSkip || lacking('/usr/sbin/ulogd') }, () => {
  let gateway: LabGateway
  let api: ApiClient
  let wire: Wire
  let browser: TestBrowser
  let drop = 0
  let sourcePort = 41_000

  before(async () => {
    gateway = await startGateway({ adminPassword: password })
    api = new ApiClient(gateway.address)
    await api.signIn('admin', password)
    wire = new Wire(gateway, client, server)
    await wire.addAddresses('internet', 'lo', [`${server}/32`])
    const port = (await api.ok('POST', '/aliases/ports', { title: 'old app', comment: '', value: 9000 })).id
    const target = (await api.ok('POST', '/aliases/ip_addresses', { title: 'server', comment: '', value: server })).id
    await api.ok('PATCH', '/firewall/settings', { log_mode: 'all', log_actions: [] })
    await api.ok('POST', '/firewall/rules/log', {
      action: 'mark_log',
      protocol: 'protocol.tcp',
      destination_ports: [port],
    })
    const rule = { action: 'drop', destination_addresses: [target], comment: 'Old app' }
    drop = (await api.ok('POST', '/firewall/rules/forward', rule)).id
    browser = await TestBrowser.start()
  })
  after(async () => {
    await browser?.close()
    api?.close()
    await gateway?.stop()
  })

  const signedIn = async (path: string): Promise<ConsolePage> => {
    const opened = await browser.open(labConsole(gateway, password))
    await opened.visit(path)
    await opened.page.getByLabel('Login').fill('admin')
    await opened.page.getByLabel('Password', { exact: true }).fill(password)
    await opened.page.keyboard.press('Enter')
    await opened.page.locator('main h1').waitFor()
    return opened
  }
  /** A connection that the rule refuses, from a port of its own. */
  const refuse = async (): Promise<number> => {
    sourcePort += 1
    await wire.isBlocked({ port: 9000, sourcePort })
    return sourcePort
  }
  const lines = (page: Page) => page.getByRole('grid', { name: 'Firewall log' })

  it('shows a refused connection while it happens, and pauses with the space bar', async () => {
    await using opened = await signedIn('monitor/logs/firewall')
    const { page } = opened
    await page.getByText('Live', { exact: true }).first().waitFor()
    const from = await refuse()
    const line = lines(page)
      .getByRole('row')
      .filter({ hasText: String(from) })
      .filter({ hasText: 'Drop' })
    await line.first().waitFor()
    await line.first().getByText('Old app').waitFor()
    await page.locator('main h1').click()
    await page.keyboard.press('Space')
    await page.getByText('Still', { exact: true }).waitFor()
    assert.match(page.url(), /live=0/)
    await page.keyboard.press('Space')
    const later = await refuse()
    await lines(page)
      .getByRole('row')
      .filter({ hasText: String(later) })
      .first()
      .waitFor()
    await opened.close()
  })

  it('narrows by clicks on values, without them by Alt, and by the histogram', async () => {
    await refuse()
    await using opened = await signedIn('monitor/logs/firewall')
    const { page } = opened
    const facets = page.getByRole('navigation', { name: 'Most frequent values' })
    await facets.getByRole('button', { name: /drop/i }).waitFor()
    await withinActions(opened, 3, 'Narrow the live log', async (actions) => {
      await actions.click(facets.getByRole('button', { name: /drop/i }))
      await page.waitForURL(/action=drop/)
      await actions.click(facets.getByRole('button', { name: new RegExp(server.replaceAll('.', '\\.')) }), {
        modifiers: ['Alt'],
      })
      await page.waitForURL(/destination_ip=%21198/)
    })
    await page.getByText('Nothing fits').waitFor()
    await page.getByRole('button', { name: 'Remove all conditions' }).click()
    await lines(page).getByRole('row').nth(1).waitFor()
    // The filter language does the same as the clicks.
    await page.keyboard.press('/')
    await page.keyboard.type('rule_id=999999 ')
    await page.waitForURL(/rule_id=999999/)
    await page.getByText('Nothing fits').waitFor()
    await page.getByRole('button', { name: 'Remove all conditions' }).click()
    const histogram = page.getByRole('slider').or(page.locator('[class*="histogram"] [tabindex="0"]')).first()
    await histogram.focus()
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('Enter')
    await page.waitForURL(/from=\d+.*until=\d+/)
    assert.deepEqual(await findBarriers(opened), [])
    await opened.close()
  })

  it('leads from a line to its rule in one action', async () => {
    await refuse()
    await using opened = await signedIn('monitor/logs/firewall?action=drop')
    const { page } = opened
    await withinActions(opened, 1, 'From a line to its rule', (actions) =>
      actions.click(
        lines(page)
          .getByRole('link', { name: `FWD ${drop}` })
          .first(),
      ),
    )
    await page.waitForURL(new RegExp(`policy/rules/forward/${drop}`))
    const comment = page.getByRole('dialog').getByLabel('Comment')
    await until('the rule is open', async () => (await comment.inputValue()) === 'Old app')
    await opened.close()
  })

  it('makes a rule from a line in three actions, before the one that refused', async () => {
    await refuse()
    await using opened = await signedIn('monitor/logs/firewall?action=drop')
    const { page } = opened
    // The line that the person looks at.
    await lines(page).getByRole('row').nth(1).locator('time').click()
    await withinActions(opened, 3, 'A rule from a line', async (actions) => {
      await actions.press('r')
      await page.waitForURL(
        /policy\/rules\/forward\/new\?.*source=10\.10\.0\.2.*destination=198\.51\.100\.20.*port=9000/,
      )
      await page.getByRole('dialog').first().waitFor()
      await actions.press('Control+Enter')
      const review = page.getByRole('dialog').filter({ has: page.getByRole('button', { name: 'Back to editing' }) })
      await review.getByRole('button', { name: /^Apply/, disabled: false }).waitFor()
      await actions.press('Control+Enter')
      await review.waitFor({ state: 'detached' })
    })
    const rules = (await api.ok('GET', '/firewall/rules/forward')) as { id: number; action: string }[]
    assert.deepEqual(
      rules.map(({ action }) => action),
      ['accept', 'drop'],
    )
    await opened.close()
  })

  it('fills in the tracer and the host page from a line', async () => {
    await using opened = await signedIn('monitor/logs/firewall')
    const { page } = opened
    await lines(page).getByRole('row').nth(1).locator('time').click()
    await page.keyboard.press('t')
    await page.waitForURL(/policy\/tracer\?.*s=10\.10\.0\.2.*d=198\.51\.100\.20/)
    await opened.go(`overview/host/${client}`)
    await page.getByRole('grid', { name: 'Refused' }).getByText(`${server}:9000`).first().waitFor()
    await page.getByRole('region', { name: 'Rules that name it' }).waitFor()
    await opened.close()
  })

  it('follows the system journal and counts it', async () => {
    await using opened = await signedIn('monitor/logs/system')
    const { page } = opened
    await page.getByRole('grid', { name: 'System journal' }).getByRole('row').nth(1).waitFor()
    await api.ok('PATCH', '/firewall/settings', { log_mode: 'all', log_actions: ['drop'] })
    await page
      .getByRole('grid', { name: 'System journal' })
      .getByText(/firewall/)
      .first()
      .waitFor()
    await until('lines are counted', async () => /\d+ lines?/.test(await page.locator('main').innerText()))
    await opened.close()
  })
})

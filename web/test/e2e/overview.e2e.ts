// The overview in a browser: dashboard, health, set-up list, hosts and leases, as every role sees them and within the actions of the design.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { until } from '../../../server/test/support/until.ts'
import { withinActions } from '../support/actions.ts'
import { findBarriers } from '../support/axe.ts'
import { browserSkip, TestBrowser } from '../support/browser.ts'
import { type Console, startConsole } from '../support/console.ts'

const rule = (index: number): object => ({ action: 'accept', protocol: 'protocol.tcp', comment: `Rule ${index + 1}` })

describe('the overview', { skip: browserSkip }, () => {
  let target: Console
  let browser: TestBrowser
  before(async () => {
    target = await startConsole()
    await target.seedRules(3, rule)
    browser = await TestBrowser.start()
  })
  after(async () => {
    await browser?.close()
    await target?.close()
  })

  it('shows what needs the administrator, sources, changes and numbers, each a link', async () => {
    await using opened = await browser.openAs(target, undefined, 'system/backups')
    const { page } = opened
    await page.locator('main h1').waitFor()
    await withinActions(opened, 1, 'Does everything run', (actions) => actions.press('g d'))
    await page.getByRole('heading', { level: 1, name: /Everything runs|needs? you|Dashboard/ }).waitFor()
    const sources = page.getByRole('region', { name: 'Top sources now' })
    await sources.getByText('reception').waitFor()
    await page.getByRole('region', { name: 'Changed in the last hour' }).getByText('FORWARD rule').waitFor()
    const numbers = page.getByRole('region', { name: 'Numbers' })
    for (const name of [/Refused in 5 min/, /Leases 3/, /Users online/, /Last backup/, /Licence/])
      await numbers.getByRole('link', { name }).waitFor()
    await withinActions(opened, 1, 'Who is 10.10.0.21', (actions) =>
      actions.click(sources.getByRole('link', { name: '10.10.0.21' })),
    )
    await page.getByRole('heading', { level: 1, name: '10.10.0.21' }).waitFor()
    await opened.close()
  })

  it('reverts what was changed in the last hour within three actions, after a preview', async () => {
    const admin = await target.gateway.client('predefined_admin_write')
    const isSearchSafe = async (): Promise<boolean> => (await admin('GET', '/dns/safesearch')).body.enabled
    await using opened = await browser.openAs(target, undefined, 'overview/dashboard')
    const { page } = opened
    const changes = page.getByRole('region', { name: 'Changed in the last hour' })
    await changes
      .getByText('First administrator')
      .or(changes.getByText(/Administrator .*: added/))
      .first()
      .waitFor()
    assert.equal(await changes.getByRole('button').count(), 0, 'what the gateway set up itself is not put back')
    const revision = target.gateway.engine.revision
    assert.equal((await admin('PATCH', '/dns/safesearch', { enabled: true })).status, 200)
    const review = page.getByRole('dialog', { name: new RegExp(`Revert to revision ${revision}`) })
    await withinActions(opened, 3, 'Revert to before the outage', async (actions) => {
      await actions.click(changes.getByRole('button', { name: `Revert to ${revision}` }))
      await review.getByText('Changes', { exact: true }).waitFor()
      await actions.click(review.getByRole('button', { name: /^Apply/ }))
    })
    await review.waitFor({ state: 'detached' })
    await until('it is as before', async () => !(await isSearchSafe()))
    await opened.close()
  })

  it('leaves out what a role may not read', async () => {
    await using reports = await browser.openAs(target, 'predefined_reports_view', 'overview/dashboard')
    await reports.page.getByRole('region', { name: 'Top sources now' }).getByText('10.10.0.21').waitFor()
    await reports.page
      .getByRole('region', { name: 'Numbers' })
      .getByText(/Refused in 5 min/)
      .waitFor()
    for (const name of ['Traffic', 'Changed in the last hour'])
      assert.equal(await reports.page.getByRole('region', { name, exact: true }).count(), 0, name)
    assert.equal(await reports.page.getByRole('link', { name: '10.10.0.21' }).count(), 0)
    await reports.close()
    await using viewer = await browser.openAs(target, 'predefined_admin_readonly', 'overview/dashboard')
    const button = viewer.page.getByRole('button', { name: /Revert to/ })
    await button.waitFor()
    assert.equal(await button.getAttribute('aria-disabled'), 'true')
    await viewer.close()
  })

  it('lists every check and status, and finds them by words', async () => {
    await using opened = await browser.openAs(target, undefined, 'overview/health')
    const { page } = opened
    const checks = page.getByRole('region', { name: 'Checks' })
    await checks.getByRole('link', { name: 'Management certificate' }).waitFor()
    await page
      .getByRole('region', { name: 'Engines and services' })
      .getByRole('link', { name: 'Backups' })
      .first()
      .waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('certificate')
    await until('only what fits is left', async () => (await checks.getByRole('listitem').count()) === 1)
    assert.match(page.url(), /q=certificate/)
    assert.deepEqual(await findBarriers(opened), [])
    await opened.close()
  })

  it('says which steps of the set-up are done and open', async () => {
    await using opened = await browser.openAs(target, undefined, 'overview/set-up')
    const { page } = opened
    const step = (id: string, state: string) => page.locator(`[data-step="${id}"][data-state="${state}"]`)
    for (const [id, state] of [
      ['connections', 'done'],
      ['zones', 'open'],
      ['rules', 'done'],
      ['backups', 'open'],
      ['notifications', 'open'],
    ] as const)
      await step(id, state).first().waitFor()
    assert.equal(await page.locator('[data-step]').count(), 7)
    const admin = await target.gateway.client('predefined_admin_write')
    await admin('POST', '/backup/backups', { comment: 'first' })
    await page.reload()
    await step('backups', 'done').first().waitFor()
    assert.deepEqual(await findBarriers(opened), [])
    await opened.close()
  })

  it('keeps the address of a device in three actions', async () => {
    await using opened = await browser.openAs(target, undefined, 'network/dhcp/leases')
    const { page } = opened
    const row = page.getByRole('row').filter({ hasText: 'printer' })
    await withinActions(opened, 3, 'Keep the address of a device', async (actions) => {
      await actions.click(row.getByText('printer'))
      await actions.press('k')
      const review = page.getByRole('dialog')
      await review.getByText('10.10.0.57').first().waitFor()
      await review.getByText('02:00:00:00:10:57').first().waitFor()
      await review.getByRole('button', { name: /^Apply/, disabled: false }).waitFor()
      await actions.press('Control+Enter')
      await review.waitFor({ state: 'detached' })
    })
    await row.getByText('kept', { exact: true }).waitFor()
    const admin = await target.gateway.client('predefined_admin_write')
    const { body } = await admin('GET', '/dhcp_server/static_leases')
    assert.deepEqual(
      body.map(({ ip_address, mac, comment }: Record<string, string>) => [ip_address, mac, comment]),
      [['10.10.0.57', '02:00:00:00:10:57', 'printer']],
    )
    await opened.close()
  })

  it('shows who a host is and what it does, and pauses with the space bar', async () => {
    await using opened = await browser.openAs(target, undefined, 'overview/host/10.10.0.22')
    const { page } = opened
    await page.getByText('workshop').first().waitFor()
    const sessions = page.getByRole('grid', { name: 'Sessions now' })
    await sessions.getByText('198.51.100.44:443').waitFor()
    await sessions.getByText('203.0.113.80:22').waitFor()
    await page.locator('main h1').click()
    await page.keyboard.press('Space')
    await page.getByRole('button', { name: /Go on/ }).waitFor()
    await page.keyboard.press('Space')
    await page.getByRole('button', { name: /Pause/ }).waitFor()
    assert.deepEqual(await findBarriers(opened), [])
    await page.keyboard.press('b')
    await page.waitForURL(/policy\/rules\/forward\/new\?.*source=10\.10\.0\.22.*action=drop.*before=\d+/)
    await opened.close()
  })

  it('lets a viewer look at a host, and change nothing', async () => {
    await using opened = await browser.openAs(target, 'predefined_admin_readonly', 'overview/host/10.10.0.21')
    const { page } = opened
    await page.getByText('reception').first().waitFor()
    for (const name of [/Keep the address/, /Block/, /Allow/])
      assert.equal(await page.getByRole('button', { name }).getAttribute('aria-disabled'), 'true', String(name))
    await opened.close()
  })

  it('finds hosts by name and opens any address', async () => {
    await using opened = await browser.openAs(target, undefined, 'overview/host')
    const { page } = opened
    await page.getByRole('link', { name: '10.10.0.57' }).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('10.99.0.1')
    await page.getByRole('button', { name: 'Open 10.99.0.1' }).click()
    await page.getByRole('heading', { level: 1, name: '10.99.0.1' }).waitFor()
    await opened.close()
  })
})

// Review and apply in a browser: what is shown before, refusals beside their fields, conflicts, the guard against lock-out, and a
// probation that is reverted by itself.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { labFacts, testPassword } from '../../../server/test/support/test-gateway.ts'
import { until } from '../../../server/test/support/until.ts'
import { withinActions } from '../support/actions.ts'
import { browserSkip, type ConsolePage, TestBrowser } from '../support/browser.ts'
import { type Console, startConsole } from '../support/console.ts'
import { assertDone } from '../support/last-screen.ts'

const leases = 'network/dhcp/static'
/** The browser comes in by this interface, so that the guard against lock-out looks at it. */
const facts = {
  ...labFacts,
  interfaces: [
    ...labFacts.interfaces,
    { ...labFacts.interfaces[0], name: 'desk0', addresses: ['127.0.0.1/8'], index: 9 },
  ],
} as typeof labFacts

describe('a change', { skip: browserSkip }, () => {
  let gateway: Console
  let browser: TestBrowser
  before(async () => {
    gateway = await startConsole({ parts: { facts: () => facts } })
    browser = await TestBrowser.start()
  })
  after(async () => {
    await browser?.close()
    await gateway?.close()
  })

  const newest = () => {
    const [info] = gateway.gateway.engine.listRevisions(1, 0)
    assert.ok(info)
    return info
  }
  const openLease = (item: string): Promise<ConsolePage> =>
    browser.openAs(gateway, 'predefined_admin_write', `${leases}/${item}`)
  const fill = async (page: Page, address: string, mac: string, comment = ''): Promise<void> => {
    await page.getByLabel('IP address').fill(address)
    await page.getByLabel('MAC').fill(mac)
    await page.getByLabel('Comment').fill(comment)
  }
  const review = (page: Page) =>
    page.getByRole('dialog').filter({ has: page.getByRole('button', { name: 'Back to editing' }) })
  const addLease = async (address: string, mac: string): Promise<string> => {
    const admin = await gateway.gateway.client('predefined_admin_write')
    const { status, body } = await admin('POST', '/dhcp_server/static_leases', {
      enabled: true,
      ip_address: address,
      mac,
      comment: '',
    })
    assert.equal(status, 200, JSON.stringify(body))
    return body.id
  }

  it('is shown in the words of the form, applied with its reason, and undone from the toast', async () => {
    await using opened = await openLease('new')
    const { page } = opened
    await fill(page, '10.10.0.50', '02:00:00:00:00:50', 'Printer')
    await page.keyboard.press('Control+Enter')
    const drawer = review(page)
    await drawer.getByText('Static lease 10.10.0.50', { exact: true }).waitFor()
    for (const text of ['added', 'MAC', '02:00:00:00:00:50', 'Printer'])
      await drawer.getByText(text, { exact: true }).first().waitFor()
    await page.keyboard.press('Alt+c')
    await drawer.getByText(/curl -b session\.txt -X POST/).waitFor()
    await drawer.getByLabel('Reason').fill('Заявка 1234')
    const before = newest().revision
    await page.keyboard.press('Control+Enter')
    await drawer.waitFor({ state: 'detached' })
    assert.deepEqual([newest().revision, newest().author, newest().reason], [before + 1, gateway.login, 'Заявка 1234'])
    await page.getByText(`done, revision ${before + 1}`).waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await assertDone(opened, 'undo from the message', { result: () => newest().revision === before + 2 })
    await opened.close()
  })

  it('that is refused says so beside its field', async () => {
    await addLease('10.10.0.60', '02:00:00:00:00:60')
    await using opened = await openLease('new')
    const { page } = opened
    opened.log.allow(/refused: (422|409) POST \S*static_leases/)
    await fill(page, '10.10.0.60', '02:00:00:00:00:61')
    await page.keyboard.press('Control+Enter')
    const address = page.getByLabel('IP address')
    await until('the field is marked', async () => (await address.getAttribute('aria-invalid')) === 'true')
    assert.equal(await review(page).count(), 0)
    assert.equal(await address.inputValue(), '10.10.0.60')
    await opened.close()
  })

  it('goes on top of what another administrator changed in the meantime', async () => {
    const id = await addLease('10.10.0.70', '02:00:00:00:00:70')
    await using opened = await openLease(id)
    const { page } = opened
    opened.log.allow(/refused: 412 /)
    await page.getByLabel('Comment').fill('mine')
    await page.keyboard.press('Control+Enter')
    const drawer = review(page)
    await drawer.getByText('mine', { exact: true }).waitFor()
    await addLease('10.10.0.71', '02:00:00:00:00:71')
    await page.keyboard.press('Control+Enter')
    await drawer.waitFor({ state: 'detached' })
    const admin = await gateway.gateway.client('predefined_admin_write')
    const { body } = await admin('GET', '/dhcp_server/static_leases')
    assert.equal(body.find((lease: { id: string }) => lease.id === id).comment, 'mine')
    await assertDone(opened, 'a change on top of another')
    await opened.close()
  })

  it('that would lock its author out is offered for 90 seconds, and is reverted with the tab closed', async () => {
    // While a change is on probation no account can be made.
    await gateway.signIn('predefined_firewall_admin')
    const opened = await browser.openAs(gateway, 'predefined_admin_write', 'policy/rules/input/new?action=drop')
    const { page } = opened
    opened.log.allow(/refused: 409 POST \S*\/firewall\/rules\/input/)
    await page.getByRole('dialog', { name: 'New INPUT rule' }).waitFor()
    await page.keyboard.press('Control+Enter')
    const drawer = review(page)
    await drawer.getByText(/your own connection from 127\.0\.0\.1 .* would be dropped/).waitFor()
    // What it would do is shown, and without probation it cannot be applied.
    await drawer.getByRole('heading', { name: 'Changes', exact: true }).waitFor()
    await drawer.getByLabel('Revert unless kept within').click()
    assert.equal(await page.getByRole('option', { name: 'No probation: permanent' }).count(), 0)
    await page.getByRole('option', { name: '90 s' }).click()
    const before = newest().revision
    await withinActions(opened, 1, 'A change that would lock its author out', async (actions) => {
      await actions.click(drawer.getByRole('button', { name: /^Apply for 90 s/ }))
    })
    const bar = page.locator('[data-bar="probation"]')
    await bar.getByText(`Your revision ${before + 1} is on probation`).waitFor()
    await bar.getByRole('button', { name: 'Keep' }).waitFor()

    // Another administrator sees whose it is and why nothing can be changed now.
    await using other = await browser.openAs(gateway, 'predefined_firewall_admin', leases)
    const otherBar = other.page.locator('[data-bar="probation"]')
    await otherBar.getByText(`Revision ${before + 1} of ${gateway.login} is on probation`).waitFor()
    assert.equal(await otherBar.getByRole('button', { name: 'Keep' }).getAttribute('aria-disabled'), 'true')

    await opened.close()
    gateway.clock.advance(100)
    await until('it is put back', () => newest().revision === before + 2)
    assert.match(newest().reason, /was not confirmed/)
    await otherBar.waitFor({ state: 'detached' })
    await other.close()
  })

  it('on probation can be kept and reverted by hand', async () => {
    for (const word of ['Keep', 'Revert'] as const) {
      await using opened = await openLease('new')
      const { page } = opened
      await fill(page, '10.10.0.80', '02:00:00:00:00:80', word)
      await page.keyboard.press('Control+Enter')
      const drawer = review(page)
      await drawer.getByLabel('Revert unless kept within').click()
      await page.getByRole('option', { name: '90 s' }).click()
      await page.keyboard.press('Control+Enter')
      const bar = page.locator('[data-bar="probation"]')
      const answer = bar.getByRole('button', { name: word })
      await answer.waitFor()
      const before = newest().revision
      await answer.click()
      await bar.waitFor({ state: 'detached' })
      assert.equal(newest().revision, word === 'Keep' ? before : before + 1)
      const admin = await gateway.gateway.client('predefined_admin_write')
      const { body } = await admin('GET', '/dhcp_server/static_leases')
      for (const { id, ip_address } of body as { id: string; ip_address: string }[])
        if (ip_address === '10.10.0.80') await admin('DELETE', `/dhcp_server/static_leases/${id}`)
      await assertDone(opened, word)
      await opened.close()
    }
  })

  it('that needs a fresh sign-in asks for the password before it is sent', async () => {
    const { revision } = newest()
    const session = await gateway.signIn()
    gateway.clock.advance(11 * 60)
    await using opened = await browser.open(gateway, { session })
    const { page } = opened
    await opened.visit(leases)
    await page.getByRole('navigation', { name: 'Pages' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.keyboard.type(`revert to ${revision}`)
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Confirm with your password' })
    await dialog.getByLabel('Password', { exact: true }).fill(testPassword)
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('dialog', { name: /Nothing would change/ }).waitFor()
    await opened.close({ over: /Nothing would change/ })
  })
})

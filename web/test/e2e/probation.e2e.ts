// A probation in the lab, with a browser and gatewayd that is killed while the change waits: the page says that there is no connection,
// comes back by itself, and the gateway has restored the old state.
// Own process: it starts a lab.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type LabGateway, startGateway } from '../../../server/test/support/lab-gateway.ts'
import { until } from '../../../server/test/support/until.ts'
import { browserSkip, TestBrowser } from '../support/browser.ts'
import { labConsole } from '../support/console.ts'

const password = 'correct horse 9'

describe('a probation in the lab', { skip: browserSkip }, () => {
  let gateway: LabGateway
  let browser: TestBrowser
  before(async () => {
    gateway = await startGateway({ adminPassword: password, dataplane: 'lab' })
    browser = await TestBrowser.start()
  })
  after(async () => {
    await browser?.close()
    await gateway?.stop()
  })

  it('is reverted by the gateway when gatewayd is killed in the meantime', async () => {
    await using opened = await browser.open(labConsole(gateway, password))
    const { page } = opened
    // While nothing listens the page keeps asking.
    opened.log.allow(/failed: net::ERR_/, /refused: (401|5\d\d) /)
    await opened.visit('network/dhcp/static/new')
    await page.getByLabel('Login').fill('admin')
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.keyboard.press('Enter')
    await page.getByLabel('IP address').fill('10.10.0.50')
    await page.getByLabel('MAC').fill('02:00:00:00:00:50')
    await page.keyboard.press('Control+Enter')
    await page.getByLabel('Revert unless kept within').click()
    await page.getByRole('option', { name: '30 s' }).click()
    await page.getByRole('button', { name: /^Apply for 30 s/ }).click()
    const bar = page.locator('[data-bar="probation"]')
    await bar.getByText(/is on probation/).waitFor()
    const leases = async (): Promise<number> => {
      const reply = await page.request.get('/dhcp_server/static_leases')
      return reply.ok() ? ((await reply.json()) as readonly unknown[]).length : -1
    }
    assert.equal(await leases(), 1)
    // Another gatewayd may be there within a moment, so that the page stays without a connection until it has said so.
    await page.context().setOffline(true)
    await gateway.killGatewayd()
    await page.getByText(/No connection; reverted at .* unless kept/).waitFor()
    await page.context().setOffline(false)
    await bar.waitFor({ state: 'detached' })
    await until('the page has a connection again', async () => (await page.getByText(/No connection/).count()) === 0)
    await until('the lease is gone', async () => (await leases()) === 0)
    await page.getByText('No entries yet').waitFor()
    await opened.close()
  })
})

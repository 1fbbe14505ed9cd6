// The browser of the lab: what it loads comes through the gateway, and what the gateway drops does not come.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { webAddress } from '../../src/tools/lab/network.ts'
import { browserSkip, LabBrowser, type LabPage } from '../support/browser.ts'
import { type FirewallLab, startFirewallLab } from '../support/firewall-lab.ts'

const uplink = '203.0.113.2'

describe('the browser of the lab', { skip: browserSkip }, () => {
  let lab: FirewallLab
  let browser: LabBrowser
  let page: LabPage
  before(async () => {
    lab = await startFirewallLab()
    browser = await LabBrowser.start(lab.gateway)
    page = await browser.open()
  })
  after(async () => {
    await browser.close()
    await lab.stop()
  })

  it('loads a page of the internet through the gateway, by name and by address', async () => {
    for (const host of ['www.example.test', webAddress]) {
      const visit = await page.visit(`http://${host}/page`)
      assert.deepEqual(visit, { status: 200, url: `http://${host}/page`, failure: null })
      const seen = JSON.parse(await page.text())
      assert.deepEqual([seen.client, seen.host, seen.path], [uplink, host, '/page'])
    }
    const image = await page.screenshot()
    assert.equal(image.subarray(1, 4).toString('latin1'), 'PNG')
  })

  it('names a refused connection, and another browser profile knows nothing of it', async () => {
    const { failure } = await page.visit(`http://${webAddress}:81/`)
    assert.equal(failure, 'ERR_CONNECTION_REFUSED')
    assert.ok(page.failures.some((one) => one.failure === 'ERR_CONNECTION_REFUSED'))
    assert.equal((await page.visit(`http://${webAddress}/`)).status, 200, 'and goes on')
    const other = await browser.open({ language: 'ru-RU' })
    assert.equal((await other.visit(`http://${webAddress}/`)).status, 200)
    assert.deepEqual([other.failures, await other.cookies()], [[], []])
    await other.close()
  })

  it('gets nothing while a rule drops its packets', async () => {
    const address = await lab.address(webAddress)
    const id = await lab.forward({ destination_addresses: [address] })
    // A connection that is open already stays: the rule is for new ones.
    const fresh = await browser.open()
    const { status, failure } = await fresh.visit('http://www.example.test:80/dropped?', 1_500)
    assert.deepEqual([status, failure], [null, 'TIMEOUT'])
    assert.ok((await lab.hits('forward', id)) > 0)
    await lab.removeRule('forward', id)
    assert.equal((await fresh.visit('http://www.example.test/again')).status, 200)
    await fresh.close()
  })
})

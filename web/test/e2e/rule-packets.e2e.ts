// Rules that are made in the console, on the wire: in a lab, with a real browser, a packet stops when the page says so, passes again
// when the page says so, and a trial that is not kept ends by itself.
// Own process: it starts a lab.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { type LabGateway, startGateway } from '../../../server/test/support/lab-gateway.ts'
import { until } from '../../../server/test/support/until.ts'
import { browserSkip, type ConsolePage, TestBrowser } from '../support/browser.ts'
import { labConsole } from '../support/console.ts'
import { assertDone, lookAt } from '../support/last-screen.ts'

const password = 'correct horse 9'

describe('rules of the console on the wire', { skip: browserSkip }, () => {
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

  /** One new connection from the client to the internet. */
  const passes = async (): Promise<boolean> => {
    const { code } = await gateway.exec('client', [
      '/usr/bin/curl',
      '--silent',
      '--output',
      '/dev/null',
      '--connect-timeout',
      '3',
      'http://198.51.100.10/',
    ])
    return code === 0
  }
  const review = (page: Page) =>
    page.getByRole('dialog').filter({ has: page.getByRole('button', { name: 'Back to editing' }) })
  const bar = (page: Page) => page.locator('[data-bar="probation"]')
  const apply = async (opened: ConsolePage, span: 'No probation: permanent' | '30 s' | '90 s'): Promise<void> => {
    const { page } = opened
    const drawer = review(page)
    await drawer.getByRole('heading', { name: 'Changes', exact: true }).waitFor()
    await drawer.getByLabel('Revert unless kept within').click()
    await page.getByRole('option', { name: span }).click()
    await page.keyboard.press('Control+Enter')
    await drawer.waitFor({ state: 'detached' })
    if (span === 'No probation: permanent') return
    await bar(page).getByRole('button', { name: 'Keep' }).waitFor()
    await opened.settle()
    assert.deepEqual(await lookAt(page), { open: [], modal: [], covered: [] }, 'the trial can be answered')
  }
  const draft = async (page: Page): Promise<void> => {
    await page.getByRole('button', { name: 'Rule', exact: true }).click()
    await page.getByLabel('Destination', { exact: true }).fill('198.51.100.10')
    await page.keyboard.press('Enter')
    await page.getByRole('radio', { name: 'drop' }).click()
    await page.keyboard.press('Control+Enter')
  }
  const heading = 'FORWARD rules'
  const row = (page: Page, index: number) => page.locator(`[role="grid"] [data-row="${index}"]`)

  it('stop a packet permanently and on probation, and let it pass again', async () => {
    await using opened = await browser.open(labConsole(gateway, password))
    const { page } = opened
    await opened.visit('policy/rules/forward')
    await page.getByLabel('Login').fill('admin')
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: heading }).waitFor()
    await until('the internet is there', passes)

    // Permanently, then switched off, then removed.
    await draft(page)
    await apply(opened, 'No probation: permanent')
    await assertDone(opened, 'add a drop rule', { heading, result: async () => !(await passes()) })
    await row(page, 0).getByRole('switch').click()
    await page.keyboard.press('Control+Enter')
    await apply(opened, 'No probation: permanent')
    await assertDone(opened, 'switch it off', { heading, result: passes })
    await row(page, 0).locator('[role="gridcell"]').last().click()
    await page.keyboard.press('Delete')
    await apply(opened, 'No probation: permanent')
    await assertDone(opened, 'remove it', { heading, result: passes })

    // On probation: kept, reverted, run out.
    await draft(page)
    await apply(opened, '90 s')
    assert.equal(await passes(), false, 'a rule on trial is in force')
    await bar(page).getByRole('button', { name: 'Revert' }).click()
    await assertDone(opened, 'put back', { heading, result: passes })
    await draft(page)
    await apply(opened, '30 s')
    assert.equal(await passes(), false)
    await bar(page).waitFor({ state: 'detached' })
    await assertDone(opened, 'run out', { heading, result: passes })
    await draft(page)
    await apply(opened, '90 s')
    await bar(page).getByRole('button', { name: 'Keep' }).click()
    await bar(page).waitFor({ state: 'detached' })
    await assertDone(opened, 'kept', { heading, result: async () => !(await passes()) })

    // The tracer says what the wire does, and leads to the rule.
    await opened.go('policy/tracer?p=tcp&s=10.10.0.2&d=198.51.100.10:80')
    await page.getByText('DROP', { exact: true }).waitFor()
    await page.getByText('decided by').getByRole('link', { name: 'FORWARD 1', exact: true }).click()
    const drawer = page.getByRole('dialog', { name: 'FORWARD 1' })
    await drawer.getByRole('radio', { name: 'accept' }).click()
    await page.keyboard.press('Control+Enter')
    await apply(opened, 'No probation: permanent')
    await assertDone(opened, 'tracer to rule', { heading, result: passes })
    await opened.close()
  })
})

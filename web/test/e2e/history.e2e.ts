// History, audit trail, users as a tree and backups in a browser, against a real gateway.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { until } from '../../../server/test/support/until.ts'
import { withinActions } from '../support/actions.ts'
import { findBarriers } from '../support/axe.ts'
import { browserSkip, TestBrowser } from '../support/browser.ts'
import { type Console, startConsole } from '../support/console.ts'
import { assertDone } from '../support/last-screen.ts'

describe('history, people and backups', { skip: browserSkip }, () => {
  let target: Console
  let browser: TestBrowser
  let admin: Awaited<ReturnType<Console['gateway']['client']>>
  before(async () => {
    target = await startConsole()
    admin = await target.gateway.client('predefined_admin_write')
    browser = await TestBrowser.start()
  })
  after(async () => {
    await browser?.close()
    await target?.close()
  })

  const newest = (): number => target.gateway.engine.listRevisions(1, 0)[0]?.revision ?? 0
  const review = (page: Page) =>
    page.getByRole('dialog').filter({ has: page.getByRole('button', { name: 'Back to editing' }) })
  const apply = async (page: Page): Promise<void> => {
    await review(page).waitFor()
    await review(page)
      .getByRole('button', { name: /^Apply/, disabled: false })
      .waitFor()
    await page.keyboard.press('Control+Enter')
    await review(page).waitFor({ state: 'detached' })
  }
  const leases = async (): Promise<{ id: string; ip_address: string; comment: string }[]> =>
    (await admin('GET', '/dhcp_server/static_leases')).body
  const addLease = async (last: number, comment: string): Promise<string> => {
    const fields = { enabled: true, ip_address: `10.10.0.${last}`, mac: `02:00:00:00:99:${last}`, comment }
    const { status, body } = await admin('POST', '/dhcp_server/static_leases', fields)
    assert.equal(status, 200, JSON.stringify(body))
    return body.id
  }

  it('says in the words of the form what a revision changed, undoes one out of the middle, and reverts to a point', async () => {
    const id = await addLease(40, 'first')
    await admin('PATCH', `/dhcp_server/static_leases/${id}`, { comment: 'second' })
    const middle = newest()
    await addLease(41, 'later')
    const last = newest()
    await using opened = await browser.openAs(target, undefined, 'system/history')
    const { page } = opened
    const grid = page.getByRole('grid', { name: 'Revisions' })
    await grid
      .getByRole('row')
      .filter({ has: page.getByText(String(middle), { exact: true }) })
      .getByText(/Static lease.*: Comment/)
      .click()
    const panel = page.getByRole('dialog', { name: `Revision ${middle}` })
    await panel
      .getByRole('row', { name: /Comment/ })
      .getByText('second')
      .waitFor()
    await panel
      .getByRole('row', { name: /Comment/ })
      .getByText('first')
      .waitFor()
    assert.deepEqual(await findBarriers(opened), [])
    await panel.getByRole('button', { name: /Undo only this/ }).click()
    await apply(page)
    assert.equal((await leases()).find((lease) => lease.id === id)?.comment, 'first')
    assert.equal((await leases()).length, 2)

    await opened.go(`system/history/${last}`)
    await page.getByRole('button', { name: new RegExp(`Revert to before it \\(${last - 1}\\)`) }).click()
    await apply(page)
    assert.deepEqual(
      (await leases()).map(({ comment }) => comment),
      ['second'],
    )
    await opened.close()
  })

  it('narrows by person, object and words, and saves what is shown', async () => {
    const id = await addLease(50, 'narrow')
    await using opened = await browser.openAs(target, undefined, `system/history?object=dhcp.static_leases[${id}]`)
    const { page } = opened
    const grid = page.getByRole('grid', { name: 'Revisions' })
    await grid.getByText('Static lease 10.10.0.50: added').waitFor()
    assert.equal(await grid.getByRole('row').count(), 2)
    await page.getByRole('button', { name: /^Remove / }).click()
    await page.keyboard.press('/')
    await page.keyboard.type('interfaces found')
    await until('one is left', async () => (await grid.getByRole('row').count()) === 2)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'CSV' }).click(),
    ])
    assert.match(readFileSync(await download.path(), 'utf8'), /^revision,time,author,address,reason,changes\r\n\d+,/)
    await opened.close()
  })

  it('shows the audit trail, who did what from where, and that it is intact', async () => {
    await using opened = await browser.openAs(target, 'predefined_reports_view', 'system/audit-trail')
    const { page } = opened
    await withinActions(opened, 2, 'Who changed what, and is the audit trail intact', async (actions) => {
      await page.getByText(/Audit trail intact: \d+ records/).waitFor()
      await page.getByRole('grid', { name: 'Audit trail' }).getByText('Static lease 10.10.0.50: added').waitFor()
      await actions.choose(page.getByLabel('Kind'), page.getByRole('option', { name: 'Change' }))
    })
    await page.waitForURL(/event=change/)
    await page.getByRole('grid', { name: 'Audit trail' }).getByText('Static lease 10.10.0.50: added').first().click()
    await page
      .getByRole('dialog', { name: /Record/ })
      .getByText('10.10.0.50')
      .first()
      .waitFor()
    assert.deepEqual(await findBarriers(opened), [])
    await opened.close()
  })

  it('makes, changes, denies, moves and removes users in the tree', async () => {
    await using opened = await browser.openAs(target, undefined, 'people/users')
    const { page } = opened
    const tree = page.getByRole('treegrid', { name: 'Users and groups' })
    await tree.getByText('Device VPN', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Add a group' }).click()
    await page.getByLabel('Name').fill('Sales')
    await page.keyboard.press('Control+Enter')
    await apply(page)
    await tree.getByRole('row').filter({ hasText: 'Sales' }).getByRole('gridcell').first().click()
    await page.keyboard.press('o')
    await page.getByLabel('Name').fill('Zoe Young')
    await page.getByLabel('Login').fill('Zoe!')
    await page.getByLabel('Password').fill('a good long password')
    opened.log.allow(/refused: 422 POST \S*\/user_backend\/users/)
    await page.keyboard.press('Control+Enter')
    const login = page.getByLabel('Login')
    await until('the field is marked', async () => (await login.getAttribute('aria-invalid')) === 'true')
    await login.fill('zoe')
    await page.keyboard.press('Control+Enter')
    await apply(page)
    await tree.getByRole('row').filter({ hasText: 'Sales' }).getByText('1', { exact: true }).waitFor()
    // A search opens what leads to a find.
    await page.keyboard.press('/')
    await page.keyboard.type('young')
    await tree.getByText('Zoe Young').waitFor()
    await tree.getByRole('switch', { name: 'Deny Zoe Young access' }).click()
    await page.getByText(/Deny Zoe Young access: done/).waitFor()
    const people = async () =>
      (await admin('GET', '/user_backend/users')).body as { login: string; enabled: boolean; parent_id: string }[]
    assert.equal((await people()).find((one) => one.login === 'zoe')?.enabled, true)
    // Only the user is marked, no longer the group.
    await tree.getByRole('row').filter({ hasText: 'Sales' }).getByRole('gridcell').first().click()
    await tree.getByRole('row').filter({ hasText: 'Zoe Young' }).getByRole('gridcell').first().click()
    await page.keyboard.press('m')
    const dialog = page.getByRole('dialog', { name: 'Move to a group' })
    await dialog.getByLabel('Group').click()
    await page.getByRole('option', { name: 'All' }).click()
    await dialog.getByRole('button', { name: 'Review the move' }).click()
    await apply(page)
    assert.equal((await people()).find((one) => one.login === 'zoe')?.parent_id, 'group.id.1')
    assert.deepEqual(await findBarriers(opened), [])
    await tree.getByRole('row').filter({ hasText: 'Zoe Young' }).getByRole('gridcell').first().click()
    await page.keyboard.press('Delete')
    await apply(page)
    assert.equal(
      (await people()).some((one) => one.login === 'zoe'),
      false,
    )
    await opened.close()
  })

  it('lets a viewer read the tree and change nothing', async () => {
    await using opened = await browser.openAs(target, 'predefined_admin_readonly', 'people/users')
    await opened.page.getByRole('treegrid').getByText('Sales').waitFor()
    const button = opened.page.getByRole('button', { name: /Add a user/ }).first()
    assert.equal(await button.getAttribute('aria-disabled'), 'true')
    await opened.close()
  })

  it('makes, downloads, uploads, restores and deletes backups', async () => {
    await using opened = await browser.openAs(target, undefined, 'system/backups')
    const { page } = opened
    const grid = page.getByRole('grid', { name: 'Backups' })
    await page.getByRole('button', { name: 'Make a backup' }).first().click()
    await page.getByRole('dialog').getByLabel('Comment').fill('before the move')
    await page.keyboard.press('Enter')
    const row = grid.getByRole('row').filter({ hasText: 'before the move' })
    await row.waitFor()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      row.getByRole('button', { name: 'Download' }).click(),
    ])
    const file = await download.path()
    assert.match(download.suggestedFilename(), /^backup-\d{4}-\d\d-\d\d-\d\d-\d\d\.bin$/)

    await page.getByRole('button', { name: 'Upload' }).click()
    await page.getByLabel('Backup file').setInputFiles(file)
    await page.getByRole('dialog').getByRole('button', { name: 'Upload' }).click()
    await until(
      'it is uploaded',
      async () => (await grid.getByRole('row').filter({ hasText: 'before the move' }).count()) === 2,
    )

    await addLease(60, 'after the backup')
    await row.first().getByRole('button', { name: 'Restore' }).click()
    await review(page)
      .getByText(/Static lease/)
      .first()
      .waitFor()
    await apply(page)
    await page.locator('[data-bar="probation"]').getByRole('button', { name: 'Keep' }).click()
    await page.locator('[data-bar="probation"]').waitFor({ state: 'detached' })
    const isRestored = async () => !(await leases()).some(({ comment }) => comment === 'after the backup')
    await assertDone(opened, 'restore', { heading: 'Backups', result: isRestored })

    await row.first().getByRole('button', { name: 'What to do with this backup' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByRole('button', { name: 'Delete the backup' }).click()
    await until(
      'it is deleted',
      async () => (await grid.getByRole('row').filter({ hasText: 'before the move' }).count()) === 1,
    )
    assert.deepEqual(await findBarriers(opened), [])
    await opened.close()
  })
})

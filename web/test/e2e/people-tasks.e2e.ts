// Tasks beside the rules, to their last screen: users, their passwords and groups, and receivers of notifications. The gateway has what
// the page says, and nothing is left over the page.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import type { Client } from '../../../server/test/support/test-gateway.ts'
import { browserSkip, type ConsolePage, TestBrowser } from '../support/browser.ts'
import { type Console, startConsole } from '../support/console.ts'
import { assertDone } from '../support/last-screen.ts'

interface User {
  readonly id: string
  readonly login: string
  readonly parent_id: string
}

describe('a task beside the rules', { skip: browserSkip }, () => {
  let target: Console
  let browser: TestBrowser
  let admin: Client
  before(async () => {
    target = await startConsole()
    browser = await TestBrowser.start()
    admin = await target.gateway.client('predefined_admin_write')
  })
  after(async () => {
    await browser?.close()
    await target?.close()
  })

  const open = (path: string): Promise<ConsolePage> => browser.openAs(target, 'predefined_admin_write', path)
  const review = (page: Page) =>
    page.getByRole('dialog').filter({ has: page.getByRole('button', { name: 'Back to editing' }) })
  /** Through the review, which shows this. */
  const apply = async (page: Page, shown: RegExp | string): Promise<void> => {
    await page.keyboard.press('Control+Enter')
    await review(page).getByText(shown).first().waitFor()
    await confirm(page)
  }
  /** As soon as the gateway has said what would change. */
  const confirm = async (page: Page): Promise<void> => {
    await review(page)
      .getByRole('button', { name: /^Apply/ })
      .click()
    await review(page).waitFor({ state: 'detached' })
  }
  const users = async (): Promise<readonly User[]> => (await admin('GET', '/user_backend/users')).body
  const userOf = async (login: string): Promise<User | undefined> => (await users()).find((one) => one.login === login)

  it('makes a user, gives a password, moves the user into a group and removes both', async () => {
    await using opened = await open('people/users/new-group')
    const { page } = opened
    const heading = 'Users and groups'
    await page.getByRole('dialog').getByLabel('Name').fill('Accounting')
    await apply(page, 'Accounting')
    const groupOf = async () =>
      (await admin('GET', '/user_backend/groups')).body.find((one: { name: string }) => one.name === 'Accounting')
    await assertDone(opened, 'a group', {
      heading,
      panel: /Accounting/,
      result: async () => (await groupOf()) !== undefined,
    })

    await opened.go('people/users/new')
    const panel = page.getByRole('dialog', { name: 'New user' })
    await panel.getByLabel('Name').fill('Anna Smith')
    await panel.getByLabel('Login').fill('anna')
    await panel.getByLabel('Password').fill('a long enough phrase 7')
    await apply(page, 'Anna Smith')
    const isMade = async () => (await userOf('anna')) !== undefined
    await assertDone(opened, 'a user', { heading, panel: /Anna Smith/, result: isMade })

    const { id = '' } = (await userOf('anna')) ?? {}
    await opened.go(`people/users/${id}`)
    const own = page.getByRole('dialog', { name: 'Anna Smith' })
    const before = target.gateway.engine.revision
    await own.getByLabel('New password').fill('another long phrase 8')
    await apply(page, 'Anna Smith')
    await assertDone(opened, 'a password', {
      heading,
      panel: /Anna Smith/,
      result: () => target.gateway.engine.revision > before,
    })
    assert.doesNotMatch(await page.locator('body').innerText(), /another long phrase/)

    await opened.go(`people/users/${id}`)
    await own.getByLabel('Group').click()
    await page.getByRole('option', { name: /Accounting/ }).click()
    await apply(page, 'Anna Smith')
    const { id: group } = await groupOf()
    const isMoved = async () => (await userOf('anna'))?.parent_id === group
    await assertDone(opened, 'another group', { heading, panel: /Anna Smith/, result: isMoved })

    await opened.go(`people/users/${id}`)
    await page.getByRole('button', { name: 'Remove Anna Smith' }).click()
    await confirm(page)
    await assertDone(opened, 'remove the user', { heading, result: async () => (await userOf('anna')) === undefined })

    await opened.go(`people/users/${group}`)
    await page.getByRole('button', { name: 'Remove Accounting' }).click()
    await confirm(page)
    await assertDone(opened, 'remove the group', { heading, result: async () => (await groupOf()) === undefined })
    await opened.close()
  })

  it('adds a webhook, and shows neither its secret nor the path of its address afterwards', async () => {
    await using opened = await open('overview/notifications/webhooks/new')
    const { page } = opened
    const panel = page.getByRole('dialog')
    await panel.getByLabel('Title').fill('Chat')
    await panel.getByLabel('Address').fill('https://chat.example/hooks/T0KEN')
    await apply(page, 'Chat')
    const hooks = async (): Promise<readonly { title: string }[]> =>
      (await admin('GET', '/health/notifications/webhooks')).body
    await page.locator('[role="grid"]').getByText('Chat', { exact: true }).waitFor()
    await assertDone(opened, 'a webhook', { panel: /Chat/, result: async () => (await hooks()).length === 1 })
    assert.doesNotMatch(await page.locator('body').innerText(), /T0KEN/)
    await opened.close()
  })
})

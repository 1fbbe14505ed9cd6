// Pages made from the contract, as a person uses them: one collection, one ordered list, one page of settings and one profile are
// created, changed, refused, copied, moved and removed; by another role, against a second administrator, and with hostile text.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { browserSkip, type ConsolePage, TestBrowser } from '../support/browser.ts'
import { type Console, startConsole } from '../support/console.ts'

/** Calls the interface with the session of the page, as another tab would. */
const callAs = (page: Page, method: string, path: string, body?: unknown): Promise<unknown> =>
  page.evaluate(
    async ([verb, address, content]) => {
      const response = await fetch(address, {
        method: verb,
        headers: { 'content-type': 'application/json' },
        ...(content === null ? {} : { body: content }),
      })
      const text = await response.text()
      if (!response.ok) throw new Error(`${response.status} ${text}`)
      return text === '' ? null : (JSON.parse(text) as unknown)
    },
    [method, path, body === undefined ? null : JSON.stringify(body)] as [string, string, string | null],
  )

const leasePath = '/dhcp_server/static_leases'
const lease = (host: number, fields: object = {}): object => ({
  enabled: true,
  ip_address: `192.168.0.${host}`,
  mac: `02:00:00:00:00:${host.toString(16).padStart(2, '0')}`,
  comment: '',
  ...fields,
})

const add = async (page: Page, path: string, body: object): Promise<string> =>
  String(((await callAs(page, 'POST', path, body)) as { id: unknown }).id)

const rowOf = (page: Page, text: string): Locator => page.getByRole('grid').getByRole('row').filter({ hasText: text })
const drawer = (page: Page): Locator => page.getByRole('dialog').last()
const applyButton = (page: Page): Locator => page.getByRole('button', { name: /^Apply/ })

/** From the form over the review to the gateway, by keys alone. */
async function apply(page: Page): Promise<void> {
  await page.keyboard.press('Control+Enter')
  await applyReviewed(page)
}

async function applyReviewed(page: Page): Promise<void> {
  await page.locator('button:not([aria-disabled="true"]):not(:disabled)', { hasText: /^Apply/ }).waitFor()
  await applyButton(page).click()
  await applyButton(page).waitFor({ state: 'detached' })
}

/** The cells of one column of the ordered list, from the top. */
const namesIn = async (page: Page, names: readonly string[]): Promise<string[]> => {
  const rows = await page.getByRole('grid').getByRole('row').allInnerTexts()
  return rows.flatMap((text) => names.find((name) => text.includes(name)) ?? [])
}

describe('pages from the contract', { skip: browserSkip }, () => {
  let target: Console
  let browser: TestBrowser
  let opened: ConsolePage
  let page: Page
  before(async () => {
    target = await startConsole()
    browser = await TestBrowser.start()
    opened = await browser.openAs(target, 'predefined_admin_write', 'network/dhcp/static')
    page = opened.page
    // Wrong values and changes of others are what these tests are about.
    opened.log.allow(/refused: (409|412|422) /)
  })
  after(async () => {
    await opened?.close()
    await browser?.close()
    await target?.close()
  })

  it('creates, refuses beside the field, changes, copies and removes in a collection', async () => {
    await opened.go('network/dhcp/static')
    await page.getByRole('button', { name: 'Begin with an example' }).click()
    await page.getByLabel('IP address', { exact: true }).fill('10.0.0.300')
    await page.getByText('Must be the IPv4 address of a host').waitFor()
    await page.getByLabel('IP address', { exact: true }).fill('192.168.0.40')
    await apply(page)
    await rowOf(page, '192.168.0.40').waitFor()

    // The gateway refuses what only it can know; the form keeps what was typed.
    await rowOf(page, '192.168.0.40').getByRole('button', { name: 'Actions of 192.168.0.40' }).click()
    await page.getByRole('menuitem', { name: /^Copy/ }).click()
    await page.getByLabel('IP address', { exact: true }).fill('192.168.0.41')
    await page.keyboard.press('Control+Enter')
    await page.getByText('Another enabled static lease has this MAC.').waitFor()
    assert.equal(await page.getByLabel('MAC', { exact: true }).getAttribute('aria-invalid'), 'true')
    await page.getByLabel('MAC', { exact: true }).fill('02-00-00-00-00-29')
    assert.equal(await page.getByLabel('MAC', { exact: true }).inputValue(), '02:00:00:00:00:29')
    await apply(page)
    await rowOf(page, '192.168.0.41').waitFor()

    await rowOf(page, '192.168.0.41').getByText('Printer').click()
    await page.getByLabel('Comment', { exact: true }).fill('Second printer')
    await drawer(page).getByText('1 change: Comment').waitFor()
    await apply(page)
    await rowOf(page, 'Second printer').waitFor()

    await rowOf(page, 'Second printer').getByText('Second printer').click()
    await drawer(page).getByRole('tab', { name: 'History' }).click()
    await drawer(page).getByText('Second printer').first().waitFor()
    await drawer(page).getByRole('tab', { name: 'As command' }).click()
    await drawer(page).getByText('-X DELETE').waitFor()
    await drawer(page).getByRole('button', { name: 'Remove' }).click()
    await applyReviewed(page)
    await rowOf(page, 'Second printer').waitFor({ state: 'detached' })
  })

  it('finds rows by the filter in the address and says when nothing fits', async () => {
    await add(page, leasePath, lease(60, { comment: 'scanner' }))
    await opened.visit('network/dhcp/static?q=scanner')
    await rowOf(page, '192.168.0.60').waitFor()
    assert.equal(await rowOf(page, '192.168.0.40').count(), 0)
    await page.getByRole('searchbox').or(page.getByPlaceholder('Filter')).first().fill('nowhere')
    await page.getByText('Nothing fits').waitFor()
    await page.getByRole('button', { name: 'Remove the filter' }).click()
    await rowOf(page, '192.168.0.40').waitFor()
    assert.equal(new URL(page.url()).searchParams.get('q'), null)
  })

  it('shows hostile text as text', async () => {
    const text = '<img src=x onerror=alert(1)>'
    await add(page, leasePath, lease(61, { comment: `${text} \u202egnp` }))
    await opened.visit('network/dhcp/static')
    await rowOf(page, '192.168.0.61').getByText(text).waitFor()
    assert.equal(await page.locator('main img').count(), 0)
    assert.equal(await rowOf(page, '192.168.0.61').getByText('U+202E').count(), 1)
  })

  it('inserts, moves by keys and by number, and removes in an ordered list', async () => {
    for (const name of ['First', 'Second', 'Third'])
      await add(page, '/content-filter/rules', { name, access: 'deny', aliases: ['any'], categories: ['files.id.1'] })
    await opened.visit('protection/web-filter/rules')
    await rowOf(page, 'Third').waitFor()
    const order = (): Promise<string[]> => namesIn(page, ['First', 'Inserted', 'Second', 'Third'])
    await rowOf(page, 'First').getByRole('button', { name: 'Actions of First' }).click()
    await page.getByRole('menuitem', { name: /^Insert below/ }).click()
    await page.getByLabel('Name', { exact: true }).fill('Inserted')
    await drawer(page)
      .getByRole('searchbox', { name: /^Categories/ })
      .fill('Executable')
    await drawer(page).getByRole('checkbox', { name: 'Executable files' }).check()
    await page.keyboard.press('Tab')
    await apply(page)
    await rowOf(page, 'Inserted').waitFor()
    assert.deepEqual(await order(), ['First', 'Inserted', 'Second', 'Third'])

    await rowOf(page, 'Third').getByRole('gridcell', { name: 'Third', exact: true }).focus()
    await page.keyboard.press('Alt+ArrowUp')
    await applyReviewed(page)
    await opened.settle()
    assert.deepEqual(await order(), ['First', 'Inserted', 'Third', 'Second'])

    await rowOf(page, 'Second').getByRole('button', { name: 'Actions of Second' }).click()
    await page.getByRole('menuitem', { name: /^Move to/ }).click()
    await page.getByRole('button', { name: 'To the top' }).click()
    await applyReviewed(page)
    await opened.settle()
    assert.deepEqual(await order(), ['Second', 'First', 'Inserted', 'Third'])

    // Outside of Policy and Network a switch applies at once.
    await rowOf(page, 'Inserted').getByRole('switch').click()
    await page.getByText(/Switch off .* Inserted: done/).waitFor()
    await rowOf(page, 'Inserted').getByRole('button', { name: 'Actions of Inserted' }).click()
    await page.getByRole('menuitem', { name: /^Remove/ }).click()
    await applyReviewed(page)
    await rowOf(page, 'Inserted').waitFor({ state: 'detached' })
  })

  it('changes settings with one review, refuses a wrong value and discards', async () => {
    await opened.visit('network/vpn/settings')
    const network = page.getByRole('textbox', { name: 'Network', exact: true })
    await network.fill('10.128.0.0/8')
    await page.getByText('Must be an IPv4 network with a prefix from 16 to 30').waitFor()
    await page.getByRole('button', { name: 'Discard' }).click()
    assert.equal(await network.inputValue(), '10.128.0.0/16')
    await network.fill('10.129.0.0/16')
    await page.getByText('1 change: Network').waitFor()
    await network.press('Control+Enter')
    await applyReviewed(page)
    // A change of the network must be kept within its time.
    await page.getByRole('button', { name: 'Keep' }).click()
    await page.getByText('1 change: Network').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Keep' }).waitFor({ state: 'detached' })
    assert.equal(((await callAs(page, 'GET', '/vpn_servers/settings')) as { network: string }).network, '10.129.0.0/16')
  })

  it('works in a profile: its details, its rules, its switches', async () => {
    await opened.visit('protection/web-servers')
    await page.getByRole('button', { name: /^Add/ }).first().click()
    await page.getByLabel('Name', { exact: true }).fill('Shop')
    await apply(page)
    await rowOf(page, 'Shop').getByText('Shop').first().click()
    await page.getByRole('heading', { name: /Shop/ }).waitFor()

    await page.getByRole('tab', { name: 'Categories' }).click()
    const scanners = page.getByRole('switch', { name: 'Scanners' })
    await scanners.click()
    await page.locator('[role="switch"][aria-checked="false"]:not([aria-busy="true"])').first().waitFor()
    await opened.settle()
    assert.equal(await scanners.getAttribute('aria-checked'), 'false')

    await page.getByRole('tab', { name: 'Excluded rules' }).click()
    await page.getByRole('button', { name: /^Add/ }).first().click()
    await drawer(page)
      .getByLabel(/number/i)
      .fill('942100')
    await apply(page)
    await rowOf(page, '942100').waitFor()

    await page.getByRole('button', { name: 'Details' }).click()
    await drawer(page).getByRole('button', { name: 'Remove' }).click()
    await applyReviewed(page)
    await page.getByRole('heading', { name: /Shop/ }).waitFor({ state: 'detached' })
    await rowOf(page, 'Shop').waitFor({ state: 'detached' })
  })

  it('says to another role why it cannot change anything', async () => {
    await using reader = await browser.openAs(target, 'predefined_admin_readonly', 'network/dhcp/static')
    const addButton = reader.page.getByRole('button', { name: /^Add static lease/ }).first()
    await addButton.waitFor()
    await rowOf(reader.page, '192.168.0.40').waitFor()
    assert.equal(await addButton.getAttribute('aria-disabled'), 'true')
    await addButton.focus()
    await reader.page.getByText('Needs the role Administrator').first().waitFor()
    await rowOf(reader.page, '192.168.0.40').getByText('Printer').click()
    await drawer(reader.page).getByText('Needs the role Administrator').first().waitFor()
    assert.equal(await reader.page.getByLabel('IP address', { exact: true }).isDisabled(), true)
    await reader.close()
  })

  it('goes on when someone else changed another row or another field, and asks for the same field', async () => {
    const id = await add(page, leasePath, lease(70, { comment: 'base' }))
    const other = await add(page, leasePath, lease(71))
    const comment = page.getByLabel('Comment', { exact: true })
    const stored = async (): Promise<Record<string, unknown> | undefined> =>
      ((await callAs(page, 'GET', leasePath)) as Record<string, unknown>[]).find((one) => one.id === id)

    await opened.visit(`network/dhcp/static/${id}`)
    await comment.fill('mine')
    await callAs(page, 'PATCH', `${leasePath}/${other}`, { comment: 'theirs' })
    await callAs(page, 'PATCH', `${leasePath}/${id}`, { mac: '02:00:00:00:0a:46' })
    await apply(page)
    await opened.settle()
    assert.deepEqual([(await stored())?.comment, (await stored())?.mac], ['mine', '02:00:00:00:0a:46'])

    await opened.visit(`network/dhcp/static/${id}`)
    await comment.fill('mine again')
    await callAs(page, 'PATCH', `${leasePath}/${id}`, { comment: 'theirs' })
    await page.keyboard.press('Control+Enter')
    const dialog = page.getByRole('dialog', { name: 'Someone else changed the same' })
    await dialog.waitFor()
    await dialog.getByRole('cell', { name: 'theirs' }).waitFor()
    await dialog.getByRole('radio', { name: 'mine again' }).check()
    await dialog.getByRole('button', { name: 'Review with these' }).click()
    await applyReviewed(page)
    await opened.settle()
    assert.equal((await stored())?.comment, 'mine again')
  })

  it('asks before a change is lost', async () => {
    const id = await add(page, leasePath, lease(80))
    await opened.visit(`network/dhcp/static/${id}`)
    await page.getByLabel('Comment', { exact: true }).fill('not saved')
    await page.getByRole('link', { name: 'Interfaces', exact: true }).click()
    const dialog = page
      .getByRole('alertdialog')
      .or(page.getByRole('dialog'))
      .filter({ hasText: 'Leave without these changes?' })
    await dialog.waitFor()
    await dialog.getByText('Comment').waitFor()
    await page.keyboard.press('Escape')
    assert.equal(await page.getByLabel('Comment', { exact: true }).inputValue(), 'not saved')
    await page.getByRole('link', { name: 'Interfaces', exact: true }).click()
    await dialog.getByRole('button', { name: 'Leave and lose them' }).click()
    await page.getByRole('heading', { name: 'Interfaces' }).waitFor()
  })
})

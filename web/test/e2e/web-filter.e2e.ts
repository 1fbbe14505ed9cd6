// The web filter as a person uses it: a rule and an exclusion are created, refused, changed and removed; explain and lookup answer;
// a wrong authority is refused at its field; and who may only look is not offered a change.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { state as filterState } from '../../../server/src/areas/content-filter/config.ts'
import { webCategoriesService } from '../../../server/src/areas/content-filter/service.ts'
import { write } from '../../../server/src/core/model/slots.ts'
import { until } from '../../../server/test/support/until.ts'
import { findBarriers } from '../support/axe.ts'
import { browserSkip, type ConsolePage, TestBrowser } from '../support/browser.ts'
import { type Console, startConsole } from '../support/console.ts'

const rules = 'protection/web-filter/rules'
const hostile = '<img src=x onerror=alert(1)> {name}'
const rowOf = (page: Page, text: string): Locator => page.getByRole('grid').getByRole('row').filter({ hasText: text })
const drawer = (page: Page): Locator => page.getByRole('dialog').last()

async function review(page: Page): Promise<void> {
  await page.locator('button:not([aria-disabled="true"]):not(:disabled)', { hasText: /^Apply/ }).click()
  await page.getByRole('button', { name: /^Apply/ }).waitFor({ state: 'detached' })
}

async function apply(page: Page): Promise<void> {
  await page.keyboard.press('Control+Enter')
  await review(page)
}

async function remove(page: Page, name: string): Promise<void> {
  await rowOf(page, name)
    .getByRole('button', { name: `Actions of ${name}` })
    .click()
  await page.getByRole('menuitem', { name: /^Remove/ }).click()
  await review(page)
  await rowOf(page, name).waitFor({ state: 'detached' })
}

describe('the web filter', { skip: browserSkip }, () => {
  let target: Console
  let browser: TestBrowser
  let opened: ConsolePage
  let page: Page
  before(async () => {
    target = await startConsole()
    await target.gateway.services.of(webCategoriesService).start()
    browser = await TestBrowser.start()
    opened = await browser.openAs(target, 'predefined_admin_write', rules)
    page = opened.page
    // Wrong values are what these tests are about.
    opened.log.allow(/refused: 422 /)
  })
  after(async () => {
    await opened?.close()
    await browser?.close()
    await target?.close()
  })

  /** Calls the interface with the session of the page, as another tab would. */
  const callAs = (method: string, path: string, body?: object): Promise<string> =>
    page.evaluate(
      async ([verb, address, content]) => {
        const headers = { 'content-type': 'application/json' }
        const response = await fetch(address, {
          method: verb,
          ...(content === null ? {} : { headers, body: content }),
        })
        const text = await response.text()
        if (!response.ok) throw new Error(`${response.status} ${text}`)
        return text === '' ? '' : String((JSON.parse(text) as { readonly id?: unknown }).id)
      },
      [method, path, body === undefined ? null : JSON.stringify(body)] as [string, string, string | null],
    )

  it('creates a rule, shows at its field what the gateway refuses, changes and removes it', async () => {
    await page.getByText('The filter is off, so no rule decides about web traffic.').waitFor()
    await page.getByRole('button', { name: /^Add/ }).first().click()
    await page.getByLabel('Name', { exact: true }).fill('No drinks')
    await drawer(page)
      .getByRole('searchbox', { name: /^Categories/ })
      .fill('alcohol')
    await drawer(page)
      .getByRole('checkbox', { name: /alcohol/i })
      .first()
      .check()
    await drawer(page).getByRole('radio', { name: 'Redirect' }).click()
    await page.keyboard.press('Control+Enter')
    await drawer(page).getByText('Must be an address when access is redirect.').waitFor()
    const address = drawer(page).getByLabel(/^Address to redirect to/)
    assert.equal(await address.getAttribute('aria-invalid'), 'true')
    assert.deepEqual(await findBarriers(opened), [])
    await drawer(page).getByRole('radio', { name: 'Deny' }).click()
    await apply(page)
    await rowOf(page, 'No drinks').getByText(/Deny/).first().waitFor()

    await rowOf(page, 'No drinks').getByText('No drinks').first().click()
    await drawer(page).getByLabel('Comment', { exact: true }).fill(hostile)
    await apply(page)
    await rowOf(page, 'No drinks').getByText(hostile).waitFor()
    assert.equal(await page.locator('main img').count(), 0)
    await remove(page, 'No drinks')
  })

  it('creates an exclusion, shows at its field that an object is gone, changes and removes it', async () => {
    const exclusions = 'protection/web-filter/exclusions'
    const addTo = async (name: string): Promise<void> => {
      await page.getByRole('button', { name: /^Add/ }).first().click()
      const to = drawer(page).getByRole('combobox', { name: /^To/ })
      await to.fill(name)
      await page.getByRole('option', { name }).first().click()
      await drawer(page).getByLabel('Comment', { exact: true }).fill('No other certificate')
    }
    const bank = { title: 'Bank', comment: '', value: '198.51.100.77' }
    const gone = await callAs('POST', '/aliases/ip_addresses', { ...bank, title: 'Old bank' })
    await callAs('POST', '/aliases/ip_addresses', bank)
    await opened.visit(exclusions)
    await addTo('Old bank')
    await callAs('DELETE', `/aliases/ip_addresses/${gone}`)
    await page.keyboard.press('Control+Enter')
    const to = drawer(page).getByRole('combobox', { name: /^To/ })
    await until('the field is marked', async () => (await to.getAttribute('aria-invalid')) === 'true')

    await opened.visit(exclusions)
    await addTo('Bank')
    await apply(page)
    await rowOf(page, 'No other certificate').getByText('No other certificate').click()
    await drawer(page).getByLabel('Comment', { exact: true }).fill(hostile)
    await apply(page)
    await rowOf(page, hostile).waitFor()
    assert.equal(await page.locator('main img').count(), 0)
    await remove(page, hostile)
  })

  it('explains a request with the rules before it, and looks up its categories', async () => {
    const own = { name: 'Partners', comment: '', urls: ['partner.example'] }
    const category = await callAs('POST', '/content-filter/users_categories', own)
    const rule = { aliases: ['any'], enabled: true }
    await callAs('POST', '/content-filter/rules', {
      ...rule,
      name: hostile,
      access: 'allow',
      categories: ['extended.id.27'],
    })
    await callAs('POST', '/content-filter/rules', { ...rule, name: 'Not now', access: 'deny', categories: [category] })
    await target.gateway.services.changeAsGateway((config) => write(config, filterState, { enabled: true }), {
      reason: 'for a test',
    })
    await opened.visit('protection/web-filter/explain')
    await page.getByLabel('Address of a page').fill('not a url//')
    await page.keyboard.press('Enter')
    await page.getByText('Must be a URL such as https://example.com/page, or a name.').waitFor()
    await page.getByLabel('Address of a page').fill('http://partner.example/a')
    await page.getByLabel('Address of the client').fill('10.10.0.2')
    await page.keyboard.press('Enter')
    const main = page.locator('main')
    await main.getByText('by the rule').waitFor()
    await main.locator('[data-verdict="deny"]').getByRole('link', { name: 'Not now' }).waitFor()
    await main.getByRole('link', { name: hostile }).first().waitFor()
    await main.getByText('partner.example is in none of its categories.').first().waitFor()
    assert.deepEqual(await findBarriers(opened), [])

    await main.getByRole('link', { name: 'Look up' }).click()
    await page.getByRole('cell', { name: 'Partners' }).first().waitFor()
    assert.match(page.url(), /lookup\?url=http%3A%2F%2Fpartner\.example%2Fa/)
    await page.getByLabel('Address of a page').fill('alcohol.category.example')
    await page.keyboard.press('Enter')
    await page.getByText('alcohol.category.example').nth(1).waitFor()
    assert.deepEqual(await findBarriers(opened), [])
  })

  it('says the same in Russian', async () => {
    const path = 'protection/web-filter/explain?source=10.10.0.2&url=http%3A%2F%2Fpartner.example%2Fa'
    await using russian = await browser.openAs(target, 'predefined_admin_write', path, { language: 'ru-RU' })
    await russian.page.getByText(/^Правило \d+ «Not now» подходит: клиент получает страницу блокировки\./).waitFor()
    await russian.page.getByText('partner.example не входит ни в одну из его категорий.').first().waitFor()
    await russian.close()
  })

  it('refuses a wrong authority at its field', async () => {
    await opened.visit('protection/web-filter/authority')
    await page.getByRole('button', { name: 'Upload an authority' }).click()
    const key = drawer(page).getByLabel(/^Private key/)
    await drawer(page)
      .getByLabel(/^Certificate/)
      .first()
      .fill('-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----')
    await key.first().fill('no key')
    await drawer(page).getByRole('button', { name: 'Upload an authority' }).click()
    await until('the key is marked', async () => (await key.first().getAttribute('aria-invalid')) === 'true')
    assert.deepEqual(await findBarriers(opened), [])
  })

  it('shows the database that is in place', async () => {
    await opened.visit('protection/web-filter/database')
    await page.getByText('Ready', { exact: true }).waitFor()
    await page.getByRole('cell', { name: 'Starter set' }).waitFor()
    assert.equal(await page.locator('input[type="file"]').getAttribute('accept'), '.tar,.tar.gz,.tgz')
  })

  it('offers no change to those who may only look', async () => {
    await using reader = await browser.openAs(target, 'predefined_admin_readonly', rules)
    await rowOf(reader.page, 'Not now').waitFor()
    const isOff = async (name: string | RegExp): Promise<void> => {
      const button = reader.page.getByRole('button', { name }).first()
      await button.waitFor()
      assert.equal(await button.getAttribute('aria-disabled'), 'true', String(name))
    }
    await isOff(/^Add/)
    await reader.go('protection/web-filter/exclusions')
    await isOff(/^Add exclusion/)
    await reader.go('protection/web-filter/authority')
    await isOff('Upload an authority')
    await isOff('Make a new authority')
    await reader.go('protection/web-filter/database')
    await isOff('Read the lists again')
    await reader.close()
  })
})

// The first set-up in a browser, in the lab: faults beside their fields, the review in place of the dialog, a trial that is kept, and
// one that is reverted. What is kept is on the cards and in the interface. Cards are chosen from those of the machine, or typed.
// Own process: it starts a lab.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { type LabGateway, startGateway } from '../../../server/test/support/lab-gateway.ts'
import { until } from '../../../server/test/support/until.ts'
import { findBarriers } from '../support/axe.ts'
import { browserSkip, type ConsolePage, TestBrowser } from '../support/browser.ts'
import { labConsole } from '../support/console.ts'

const password = 'correct horse 9'

interface Connection {
  readonly title: string
  readonly type: string
  readonly mac: string
  readonly addresses: readonly string[]
  readonly gateway: string | null
}

describe('the first set-up', { skip: browserSkip }, () => {
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

  const open = async (language: 'en-US' | 'ru-RU' = 'en-US'): Promise<ConsolePage> => {
    const opened = await browser.open(labConsole(gateway, password), { language })
    opened.log.allow(/refused: (409|422) PUT \S*\/network\/setup/)
    await opened.visit('network/connections')
    await opened.page.locator('input').first().fill('admin')
    await opened.page.locator('input[type=password]').fill(password)
    await opened.page.keyboard.press('Enter')
    await opened.page.getByRole('grid').waitFor()
    return opened
  }
  const read = async (page: Page, path: string) => (await page.request.get(path)).json()
  const connection = async (page: Page, type: 'lan' | 'wan'): Promise<Connection> => {
    const found = ((await read(page, '/network/connections')) as Connection[]).find((one) => one.type === type)
    assert.ok(found, type)
    return found
  }
  const opened = async (page: Page) => {
    await page.getByRole('button', { name: 'Set up both cards' }).click()
    const dialog = page.getByRole('dialog', { name: 'Set up both cards', exact: true })
    const outside = dialog.getByRole('group', { name: 'Outside, to the provider' })
    const inside = dialog.getByRole('group', { name: 'Inside, the local network' })
    return { dialog, outside, inside, send: dialog.getByRole('button', { name: 'Set up both cards' }) }
  }
  const box = (side: Locator, name: string): Locator => side.getByRole('textbox', { name })
  const card = (side: Locator, name = 'Card'): Locator => side.getByRole('combobox', { name })
  const type = async (side: Locator, mac: string, name = 'Card'): Promise<void> => {
    await card(side, name).fill(mac)
    await card(side, name).press('Tab')
  }
  const fill = async (side: Locator, fields: Readonly<Record<string, string>>): Promise<void> => {
    for (const [label, value] of Object.entries(fields)) await box(side, label).fill(value)
  }
  const faultOf = async (field: Locator, words: string | RegExp): Promise<void> => {
    await until('the field is marked', async () => (await field.getAttribute('aria-invalid')) === 'true')
    const description = (await field.getAttribute('aria-describedby')) ?? ''
    const texts = await Promise.all(
      description.split(' ').map((id) => field.page().locator(`[id="${id}"]`).textContent()),
    )
    assert.ok(
      texts.some((text) => (typeof words === 'string' ? text?.includes(words) : words.test(text ?? ''))),
      texts.join(' | '),
    )
  }
  const reviewOf = (page: Page): Locator =>
    page.getByRole('dialog').filter({ has: page.getByRole('button', { name: 'Back to editing' }) })
  const bar = (page: Page): Locator => page.locator('[data-bar="probation"]')
  const ports = async (page: Page): Promise<readonly string[]> => {
    const rules = (await read(page, '/firewall/rules/input')) as { destination_ports: string[] }[]
    const known = (await read(page, '/aliases/ports')) as { id: string; value: number }[]
    return rules.flatMap((rule) => rule.destination_ports.map((id) => `${known.find((one) => one.id === id)?.value}`))
  }

  it('names what is wrong beside the fields, is reviewed in place of the dialog, and is kept', async () => {
    await using console = await open()
    const { page } = console
    const [wan, lan] = [await connection(page, 'wan'), await connection(page, 'lan')]
    const { dialog, outside, inside, send } = await opened(page)
    await until('the first card has the focus', () => card(outside).evaluate((one) => one === document.activeElement))
    await send.click()
    for (const side of [outside, inside]) await faultOf(card(side), 'Must be the MAC of a card')

    await type(outside, wan.mac.toUpperCase().replaceAll(':', '-'))
    await fill(outside, { Addresses: wan.addresses.join('\n'), Gateway: '192.0.2.77' })
    await type(inside, wan.mac)
    for (const side of [outside, inside]) assert.equal(await card(side).inputValue(), `wan0 · ${wan.mac}`)
    await fill(inside, { Addresses: lan.addresses.join('\n') })
    await send.click()
    await faultOf(card(inside), 'The two cards must be different ones.')
    await inside.getByRole('button', { name: 'Open the list' }).click()
    const offered = page.getByRole('option')
    await offered.first().waitFor()
    assert.deepEqual(await offered.allInnerTexts().then((texts) => texts.map((text) => text.replaceAll(/\s+/g, ' '))), [
      `lan0 · ${lan.mac} link up, used by ${lan.title} Card`,
      'opt0 · 02:00:c6:12:00:02 switched off Card',
      `wan0 · ${wan.mac} link up, used by ${wan.title} Card`,
    ])
    assert.deepEqual(await findBarriers(console), [])
    await offered.filter({ hasText: 'lan0' }).click()
    assert.equal(await card(inside).inputValue(), `lan0 · ${lan.mac}`)
    await send.click()
    await faultOf(box(outside, 'Gateway'), 'The gateway must be inside a network of this interface.')
    await box(outside, 'Gateway').fill(wan.gateway ?? '')
    await box(inside, 'Addresses').fill('10.20.0.0/24')
    await send.click()
    await inside.getByText('This is the address of the network itself').waitFor()
    await box(inside, 'Addresses').fill([...lan.addresses, '10.20.0.1/24'].join('\n'))
    const port = box(dialog, 'SSH port that stays open from outside')
    await port.fill('70000')
    await send.click()
    await faultOf(port, 'Must be at most 65535.')
    assert.deepEqual(await findBarriers(console), [])
    assert.deepEqual([await connection(page, 'lan'), await ports(page)], [lan, []])

    await port.fill('2222')
    await send.click()
    const review = reviewOf(page)
    await review.getByText('10.20.0.1/24').first().waitFor()
    assert.equal(await dialog.count(), 0)
    await review.getByRole('button', { name: 'Back to editing' }).click()
    assert.equal(await port.inputValue(), '2222')
    assert.equal(await port.getAttribute('aria-invalid'), null)
    await send.click()
    await review.getByRole('button', { name: /^Apply for 90 s/ }).click()

    await bar(page)
      .getByText(/is on probation/)
      .waitFor()
    await until('nothing covers the bar', async () => (await page.getByRole('dialog').count()) === 0)
    await bar(page).getByRole('button', { name: 'Keep' }).click()
    await bar(page).waitFor({ state: 'detached' })
    assert.equal((await read(page, '/config/confirm')).waiting, null)
    assert.deepEqual((await connection(page, 'lan')).addresses, [...lan.addresses, '10.20.0.1/24'])
    assert.deepEqual((await connection(page, 'wan')).addresses, wan.addresses)
    assert.deepEqual(await ports(page), ['2222'])
    await page.getByRole('grid', { name: 'Connections' }).getByText('10.20.0.1/24').waitFor()
    await console.close()
  })

  it('is as before when it is reverted', async () => {
    await using console = await open()
    const { page } = console
    const [wan, lan] = [await connection(page, 'wan'), await connection(page, 'lan')]
    const { outside, inside, send } = await opened(page)
    await type(outside, wan.mac)
    await fill(outside, { Addresses: wan.addresses.join('\n'), Gateway: wan.gateway ?? '' })
    await type(inside, lan.mac)
    await fill(inside, { Addresses: [...lan.addresses, '10.30.0.1/24'].join('\n') })
    await send.click()
    await reviewOf(page)
      .getByRole('button', { name: /^Apply for 90 s/ })
      .click()
    await bar(page).getByRole('button', { name: 'Revert' }).click()
    await bar(page).waitFor({ state: 'detached' })
    assert.deepEqual(await connection(page, 'lan'), lan)
    await console.close()
  })

  it('says in Russian what the gateway refuses', async () => {
    await using console = await open('ru-RU')
    const { page } = console
    const { mac, title } = await connection(page, 'wan')
    await page.getByRole('button', { name: 'Настроить обе карты' }).click()
    const dialog = page.getByRole('dialog', { name: 'Настроить обе карты' })
    for (const side of await dialog.getByRole('group').all()) {
      await side.getByRole('button', { name: 'Открыть список' }).click()
      await page.getByRole('option', { name: `${mac} связь есть, использует ${title}` }).click()
      await fill(side, { Адреса: '10.20.0.1/24' })
    }
    await dialog.getByRole('button', { name: 'Настроить обе карты' }).click()
    await faultOf(card(dialog.getByRole('group').last(), 'Сетевая карта'), 'Нужны две разные карты.')
    await console.close({ over: 'Настроить обе карты' })
  })
})

// The tracer and the objects in a browser: why a packet is refused, what a draft would change, who uses an object and what it
// stands for, and the pages around them.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import type { Client } from '../../../server/test/support/test-gateway.ts'
import { until } from '../../../server/test/support/until.ts'
import { withinActions } from '../support/actions.ts'
import { assertNoBarriers } from '../support/axe.ts'
import { browserSkip, type ConsolePage, TestBrowser } from '../support/browser.ts'
import { type Console, startConsole } from '../support/console.ts'
import { assertDone } from '../support/last-screen.ts'

describe('the tracer and the objects', { skip: browserSkip }, () => {
  let gateway: Console
  let browser: TestBrowser
  let admin: Client
  const ids: Record<string, string> = {}
  before(async () => {
    gateway = await startConsole()
    browser = await TestBrowser.start()
    admin = await gateway.gateway.client('predefined_admin_write')
    const make = async (name: string, path: string, body: object): Promise<void> => {
      const { status, body: reply, text } = await admin('POST', path, body)
      assert.equal(status, 200, text)
      ids[name] = String(reply.id)
    }
    await make('office', '/aliases/networks', { title: 'Office', value: '10.1.2.0/24' })
    await make('spare', '/aliases/ip_addresses', { title: 'Spare', value: '10.9.9.9' })
    await make('server', '/aliases/ip_addresses', { title: 'Server', value: '10.10.0.11' })
    await make('servers', '/aliases/lists/addresses', { title: 'Servers', values: [ids.server] })
    await make('long', '/aliases/ip_address_lists', { title: 'Blocked', values: ['198.18.0.1', '198.18.0.0/24'] })
    await make('app', '/aliases/ports', { title: 'app', value: 8080 })
    await make('first', '/firewall/rules/forward', {
      action: 'accept',
      source_addresses: [ids.server],
      comment: 'Before',
    })
    await make('second', '/firewall/rules/forward', {
      action: 'drop',
      source_addresses: [ids.office],
      destination_addresses: [ids.servers],
      protocol: 'protocol.tcp',
      destination_ports: [ids.app],
      comment: '<i>Old app</i>',
    })
  })
  after(async () => {
    await browser?.close()
    await gateway?.close()
  })

  const open = (path: string, role?: Parameters<TestBrowser['openAs']>[1]): Promise<ConsolePage> =>
    browser.openAs(gateway, role, path)
  const review = (page: Page) =>
    page.getByRole('dialog').filter({ has: page.getByRole('button', { name: 'Back to editing' }) })
  const apply = async (page: Page, shown: RegExp | string): Promise<void> => {
    await page.keyboard.press('Control+Enter')
    // The title has the name before the changes are known.
    await review(page).getByRole('heading', { name: 'Changes', exact: true }).waitFor()
    await review(page).getByText(shown).first().waitFor()
    await page.keyboard.press('Control+Enter')
    await review(page).waitFor({ state: 'detached' })
  }
  const packet = 'policy/tracer?p=tcp&s=10.1.2.9&d=10.10.0.11:8080'

  it('says why a packet is refused, within two actions from any page', async () => {
    await using opened = await open('policy/hygiene')
    const { page } = opened
    await opened.settle()
    await withinActions(opened, 2, 'Asking why', async (actions) => {
      await actions.press('Control+k')
      await actions.type('10.1.2.9 -> 10.10.0.11:8080\n')
      await page.getByText('DROP', { exact: true }).waitFor()
    })
    await page.getByText('decided by').getByRole('link', { name: 'FORWARD 2', exact: true }).waitFor()
    const way = page.getByRole('list', { name: 'The way of the packet' })
    for (const stage of ['Hardware filter', 'Log marks', 'DNAT', 'Routing', 'Access lists', 'FORWARD', 'SNAT'])
      await way.getByText(stage, { exact: true }).waitFor()
    await way.getByText('stopped here').waitFor({ state: 'attached' })
    await page.getByText('1 rule was passed').waitFor()
    await page.getByText('<i>Old app</i>').waitFor()
    await assertNoBarriers(opened, 'the tracer')
    await opened.close()
  })

  it('traces a name, and says when it has no address', async () => {
    await using opened = await open('policy/tracer')
    const { page } = opened
    await page.getByLabel('Source', { exact: true }).fill('10.1.2.9')
    await page.getByLabel('Destination', { exact: true }).fill('www.example.com')
    await page.keyboard.press('Enter')
    await page.getByText('The name has the address 198.51.100.10.').waitFor()
    await page.getByText('ACCEPT', { exact: true }).waitFor()
    await page.getByLabel('Destination', { exact: true }).fill('nowhere.example.com')
    await page.keyboard.press('Enter')
    await page.getByText('nowhere.example.com has no address').waitFor()
    await page.getByLabel('Destination', { exact: true }).fill('')
    await page.keyboard.press('Enter')
    await page.getByText('Needed').waitFor()
    await opened.close()
  })

  it('follows a packet through a draft that is not applied, and through a past revision', async () => {
    await using opened = await open('policy/rules/forward')
    const { page } = opened
    const row = page.locator('[role="grid"] [data-row="1"]')
    await row.getByRole('switch').click()
    await page.getByText('Not applied yet').waitFor()
    await opened.go(`${packet}&draft=1`)
    await page.getByText('ACCEPT', { exact: true }).waitFor()
    await page.getByText('through my draft').waitFor()
    await page.getByText('what runs now').click()
    await page.getByRole('button', { name: 'Trace', exact: true }).click()
    await page.getByText('DROP', { exact: true }).waitFor()
    await opened.go(`${packet}&rev=1`)
    await page.getByText('ACCEPT', { exact: true }).waitFor()
    await opened.go('policy/rules/forward')
    await page.getByText('Not applied yet').waitFor()
    await page.getByRole('button', { name: 'Discard' }).click()
    await page.getByText('Not applied yet').waitFor({ state: 'detached' })
    await opened.close()
  })

  it('makes an exception right before the rule that decided', async () => {
    await using opened = await open(packet)
    const { page } = opened
    await page.getByRole('button', { name: 'Allow this' }).click()
    await page.getByText('right before rule 2.').waitFor()
    await page.getByRole('dialog').getByText('Server', { exact: true }).first().waitFor()
    await apply(page, 'added')
    await opened.go(packet)
    await page.getByText('ACCEPT', { exact: true }).waitFor()
    const { body } = await admin('GET', '/firewall/rules/forward')
    assert.deepEqual(
      body.map((rule: { action: string }) => rule.action),
      ['accept', 'accept', 'drop'],
    )
    await assertDone(opened, 'tracer to rule', { heading: 'Tracer' })
    await opened.close()
  })

  it('opens who uses an object with one action, and finds the unused', async () => {
    const { body: listed } = await admin('GET', '/firewall/rules/forward')
    const number = listed.findIndex(({ id }: { id: number }) => String(id) === ids.second) + 1
    await using opened = await open('objects')
    const { page } = opened
    await page.getByText('Servers', { exact: true }).waitFor()
    await opened.settle()
    await withinActions(opened, 1, 'Who uses it', async (actions) => {
      await actions.click(
        page.locator('[role="row"]', { hasText: 'Servers' }).getByRole('link', { name: 'Used 1 times' }),
      )
      await page
        .getByRole('dialog')
        .getByRole('link', { name: `FORWARD rule ${number}`, exact: true })
        .waitFor()
    })
    await page.keyboard.press('Escape')
    await withinActions(opened, 1, 'The unused', async (actions) => {
      await actions.click(page.getByText('Unused', { exact: true }))
      await page.getByText('Spare', { exact: true }).waitFor()
    })
    assert.equal(await page.getByText('Office', { exact: true }).count(), 0)
    await opened.close()
  })

  it('adds, refuses beside the field, changes, resolves and removes an object', async () => {
    await using opened = await open('objects/new?kind=ip')
    const { page } = opened
    const panel = page.getByRole('dialog')
    await panel.getByLabel('Name').fill('Camera')
    await panel.getByLabel('Address').fill('10.0.0.300')
    await panel.getByLabel('Name').focus()
    await panel.getByText('Must be an IPv4 address such as 192.168.0.1.').first().waitFor()
    await panel.getByLabel('Address').fill('10.0.0.30')
    await panel.getByText('Must be an IPv4 address such as 192.168.0.1.').first().waitFor({ state: 'detached' })
    await apply(page, 'added')
    await page.locator('[role="grid"]').getByText('Camera', { exact: true }).waitFor()
    await opened.go(`objects/${ids.servers}?tab=resolves`)
    await page.getByRole('link', { name: '10.10.0.11' }).waitFor()
    const { body } = await admin('GET', '/aliases/ip_addresses')
    const camera = body.find(({ title }: { title: string }) => title === 'Camera')
    await opened.go(`objects/${camera.id}`)
    await page.getByRole('dialog').getByLabel('Comment').fill('Hall')
    await apply(page, 'Hall')
    await opened.go(`objects/${camera.id}`)
    await page.getByRole('button', { name: 'Remove', exact: true }).click()
    await review(page).getByText('removed').first().waitFor()
    await page.keyboard.press('Control+Enter')
    await review(page).waitFor({ state: 'detached' })
    await page.locator('[role="grid"]').getByText('Camera', { exact: true }).waitFor({ state: 'detached' })
    await assertDone(opened, 'objects')
    await opened.close()
  })

  it('adds and removes values of a long list without sending the rest', async () => {
    await using opened = await open(`objects/${ids.long}?tab=values`)
    const { page } = opened
    const sent: unknown[] = []
    page.on('request', (request) => {
      if (request.method() === 'PATCH' && !request.url().includes('dry_run')) sent.push(request.postDataJSON())
    })
    await page.getByRole('textbox', { name: 'Add', exact: true }).fill('198.18.7.7\n198.18.7.300')
    await page.getByText('Line 2: Must be an address or a network.').waitFor()
    await page.getByRole('textbox', { name: 'Add', exact: true }).fill('198.18.7.7')
    await page.getByRole('textbox', { name: 'Remove', exact: true }).fill('198.18.0.1')
    await apply(page, 'Blocked')
    await until('the call was made', () => sent.length === 1)
    assert.deepEqual(sent, [{ add: ['198.18.7.7'], remove: ['198.18.0.1'] }])
    await opened.close()
  })

  it('runs rule tests and shows which failed', async () => {
    await using opened = await open('policy/rule-tests/new')
    const { page } = opened
    opened.log.allow(/refused: (409|503) POST \S*checks_start/)
    const panel = page.getByRole('dialog')
    await panel.getByLabel('Source', { exact: true }).fill('10.1.2.9')
    await panel.getByLabel('Destination', { exact: true }).fill('10.10.0.11')
    await panel.getByLabel('Comes in at').click()
    await page.getByRole('option', { name: /Local interfaces/ }).click()
    await apply(page, 'added')
    await page.getByText('10.1.2.9:49152 → 10.10.0.11:443').waitFor()
    await page.getByText('not run').waitFor()
    await assertDone(opened, 'a rule test')
    await opened.close()
  })

  it('writes access lists as lines', async () => {
    await using opened = await open('policy/access-lists/new')
    const { page } = opened
    await page.getByLabel('Name').fill('Sales')
    const lines = page.getByLabel(/Entries in their order/)
    await lines.fill('allow tcp 10.0.0.0/8 -> any:443\npermit all')
    await page.getByText(/^Line 2:/).waitFor()
    await lines.fill('allow tcp 10.0.0.0/8 -> any:443\ndeny ip any -> any')
    await apply(page, 'Sales')
    const { body } = await admin('GET', '/acl/rules')
    assert.equal(body[0].value.length, 2)
    await assertDone(opened, 'an access list')
    await opened.close()
  })
})

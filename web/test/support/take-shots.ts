// Takes the pictures of the README: seven screens of the console, light and dark, of a lab with a small company in it. Look at
// each picture before it is committed. Run by `npm run web:shots`.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { ApiClient } from '../../../server/test/support/api-client.ts'
import { type LabGateway, startGateway } from '../../../server/test/support/lab-gateway.ts'
import { until } from '../../../server/test/support/until.ts'
import { Wire } from '../../../server/test/support/wire.ts'
import { type ConsolePage, TestBrowser } from './browser.ts'
import { labConsole } from './console.ts'

const password = 'correct horse 9'
const client = '10.10.0.2'
const server = '198.51.100.20'
const folder = join(import.meta.dirname, '..', '..', '..', 'docs', 'screenshots')

/** Makes objects and rules; returns the id of the rule that refuses the old application. */
async function furnish(api: ApiClient): Promise<number> {
  const make = async (path: string, body: object): Promise<string> => (await api.ok('POST', path, body)).id
  const address = (title: string, value: string) => make('/aliases/ip_addresses', { title, comment: '', value })
  const network = (title: string, value: string) => make('/aliases/networks', { title, comment: '', value })
  const port = (title: string, value: number) => make('/aliases/ports', { title, comment: '', value })
  const [office, guests, shop] = [
    await network('Office', '10.10.0.0/25'),
    await network('Guests', '10.10.0.128/25'),
    await address('Shop', server),
  ]
  const [web1, web2] = [await address('web-1', '198.51.100.10'), await address('web-2', '198.51.100.11')]
  const servers = await make('/aliases/lists/addresses', {
    title: 'Web servers',
    comment: 'Ticket 1234',
    values: [web1, web2, shop],
  })
  const [https, smtp, app, dns] = [
    await port('https', 443),
    await port('smtp', 25),
    await port('old app', 9000),
    await port('dns', 53),
  ]
  const tcp = { protocol: 'protocol.tcp' }
  const add = async (body: object): Promise<number> => (await api.ok('POST', '/firewall/rules/forward', body)).id
  await add({
    ...tcp,
    action: 'accept',
    source_addresses: [office],
    destination_addresses: [servers],
    destination_ports: [https],
    comment: 'Shop and web servers',
  })
  await add({
    protocol: 'protocol.udp',
    action: 'drop',
    source_addresses: [guests],
    destination_ports: [dns],
    comment: 'Guests ask the gateway for names',
  })
  const refused = await add({
    ...tcp,
    action: 'drop',
    source_addresses: [office],
    destination_addresses: [servers],
    destination_ports: [app],
    comment: 'Old app',
  })
  await add({
    ...tcp,
    action: 'accept',
    source_addresses: [office],
    destination_addresses: [shop],
    destination_ports: [app],
    comment: 'Test of the old app',
  })
  await add({
    ...tcp,
    action: 'drop',
    source_addresses: [office, guests],
    destination_ports: [smtp],
    comment: 'Mail only through the relay',
  })
  await add({ action: 'accept', source_addresses: [guests], comment: 'Guests', enabled: false })
  await api.ok('PATCH', '/content-filter/settings', { enabled_extended_categorizer: true })
  await api.ok('POST', '/content-filter/rules', {
    name: 'No alcohol',
    access: 'deny',
    aliases: ['any'],
    categories: ['extended.id.4'],
  })
  await api.ok('PATCH', '/content-filter/state', { enabled: true })
  await api.ok('PATCH', '/firewall/settings', { log_mode: 'all', log_actions: [] })
  await api.ok('POST', '/firewall/rules/log', { action: 'mark_log', ...tcp, destination_ports: [app, smtp] })
  return refused
}

async function sendTraffic(gateway: LabGateway): Promise<void> {
  const wire = new Wire(gateway, client, server)
  await wire.addAddresses('internet', 'lo', [`${server}/32`])
  for (let sourcePort = 41_001; sourcePort < 41_013; sourcePort++)
    await wire.isBlocked({ port: sourcePort % 3 === 0 ? 25 : 9000, sourcePort })
}

/** Pages that the client reads again and again, until the charts have something to draw. */
async function browse(gateway: LabGateway, api: ApiClient): Promise<() => Promise<void>> {
  const stop = new AbortController()
  const read = async (): Promise<void> => {
    while (!stop.signal.aborted)
      await gateway.exec('client', ['curl', '-s', '-o', '/dev/null', 'http://www.example.test/'])
  }
  const reading = Promise.all([read(), read(), read()])
  await until('the chart has a line', async () => {
    const { series } = await api.ok('GET', '/health/charts?group=interfaces&name=wan0')
    const points: readonly { readonly avg: number }[] = series[0]?.points ?? []
    return points.filter(({ avg }) => avg > 0).length >= 5
  })
  return async () => {
    stop.abort()
    await reading
  }
}

async function signIn(browser: TestBrowser, gateway: LabGateway, colours: 'light' | 'dark'): Promise<ConsolePage> {
  const opened = await browser.open(labConsole(gateway, password), { colours })
  await opened.visit()
  await opened.page.getByLabel('Login').fill('admin')
  await opened.page.getByLabel('Password', { exact: true }).waitFor()
  await opened.settle()
  await save(opened.page, 'sign-in', colours)
  await opened.page.getByLabel('Password', { exact: true }).fill(password)
  await opened.page.keyboard.press('Enter')
  await opened.page.getByRole('navigation').first().waitFor()
  return opened
}

async function save(page: Page, name: string, colours: string): Promise<void> {
  writeFileSync(join(folder, `${name}-${colours}.png`), await page.screenshot())
}

async function takeAll(opened: ConsolePage, colours: 'light' | 'dark', refused: number): Promise<void> {
  const { page } = opened
  const show = async (path: string, name: string, prepare?: () => Promise<void>): Promise<void> => {
    await opened.visit(path)
    await page.locator('main h1').waitFor()
    await prepare?.()
    await opened.settle()
    await save(page, name, colours)
  }
  await show('overview/dashboard', 'dashboard', async () => {
    await page.getByText('Changed in the last hour').waitFor()
    await page.locator('canvas').first().waitFor()
  })
  await show(`policy/rules/forward/${refused}`, 'rules', async () => {
    await page.getByRole('dialog').getByRole('radio', { name: 'accept' }).click()
    await page.getByRole('dialog').getByLabel('Comment').fill('Old app, until the new one stands')
    await page.keyboard.press('Control+Enter')
    await page.getByRole('button', { name: 'Back to editing' }).waitFor()
    await page.getByRole('button', { name: /^Apply/ }).waitFor()
  })
  await show(`policy/tracer?p=tcp&s=${client}&d=${server}:9000`, 'tracer', async () => {
    await page.getByText('Old app').first().waitFor()
  })
  await show('monitor/logs/firewall', 'logs', async () => {
    await page.getByRole('grid').getByText('Old app').first().waitFor()
  })
  const asked = new URLSearchParams({ source: client, url: 'http://alcohol.category.example/' })
  await show(`protection/web-filter/explain?${asked}`, 'web-filter', async () => {
    await page.getByText('by the rule').waitFor()
  })
  await show('objects/addresses?q=web', 'objects', async () => {
    await page.getByRole('row').filter({ hasText: 'Web servers' }).first().dblclick()
    await page.getByRole('dialog').getByRole('textbox').first().waitFor()
  })
}

mkdirSync(folder, { recursive: true })
const gateway = await startGateway({ adminPassword: password })
const browser = await TestBrowser.start()
try {
  const api = new ApiClient(gateway.address)
  await api.signIn('admin', password)
  const refused = await furnish(api)
  await sendTraffic(gateway)
  await until('the refused connections are in the log', async () =>
    JSON.stringify(await api.ok('GET', '/firewall/counters')).includes(`${refused}`),
  )
  const stopBrowsing = await browse(gateway, api)
  for (const colours of ['light', 'dark'] as const) {
    const opened = await signIn(browser, gateway, colours)
    await takeAll(opened, colours, refused)
    await opened.page.context().close()
  }
  await stopBrowsing()
  api.close()
} finally {
  await browser.close()
  await gateway.stop()
}

// Security events with seeded findings: their journal, one of them with its packet, an exception that is reviewed, and from a report to its events.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { logsService } from '../../../server/src/areas/logs/service.ts'
import { parseEveLine } from '../../../server/src/domain/signatures/eve-line.ts'
import { HitKnowledge } from '../../../server/src/gatewayd/logs/sources/hit-knowledge.ts'
import { InspectedConnections } from '../../../server/src/gatewayd/logs/sources/inspected-connections.ts'
import { securityRecord } from '../../../server/src/gatewayd/logs/sources/security-events.ts'
import { eventLine } from '../../../server/test/support/inspection-lines.ts'
import { until } from '../../../server/test/support/until.ts'
import { findBarriers } from '../support/axe.ts'
import { browserSkip, type ConsolePage, TestBrowser } from '../support/browser.ts'
import { type Console, startConsole } from '../support/console.ts'

const rule =
  'drop http any any -> any 80 (msg:"WEB attack"; flow:to_server; http.uri; content:"/evil"; classtype:trojan-activity; sid:5001; rev:4;)'

describe('security events', { skip: browserSkip }, () => {
  let console: Console
  let browser: TestBrowser
  let profileId = ''

  before(async () => {
    console = await startConsole()
    browser = await TestBrowser.start()
    const admin = await console.gateway.client('predefined_admin_write')
    const profile = await admin('POST', '/ips/profiles', { name: 'Strict', comment: '' })
    profileId = profile.body.id
    assert.equal((await admin('POST', '/ips/custom', { comment: '', rule })).status, 200)
    await seed()
  })
  after(async () => {
    await browser?.close()
    await console?.close()
  })

  const seed = async (): Promise<void> => {
    const knowledge = new HitKnowledge()
    const applications = { id: '', name: '' }
    knowledge.learn({
      time: 0,
      channels: new Map([[1, { prevention: { id: profileId, name: 'Strict' }, applications }]]),
      applications: new Map(),
    })
    const now = Math.floor(Date.now() / 1_000)
    const lines = Array.from({ length: 60 }, (_, at) =>
      eventLine({
        at: now - 30 - at * 600,
        sid: 5001 + (at % 3),
        msg: ['WEB attack', '<b>Scan</b>', 'Odd DNS'][at % 3] ?? '',
        severity: 1 + (at % 3),
        isBlocked: at % 3 === 0,
        source: `10.0.0.${at % 5}`,
        sourcePort: 20_000 + at,
      }),
    )
    const logs = console.gateway.services.of(logsService)
    logs.append(
      lines.flatMap((line) => {
        const read = parseEveLine(line.trimEnd())
        return read.is === 'alert' ? [securityRecord(read.alert, knowledge, new InspectedConnections())] : []
      }),
    )
    await logs.flush()
  }
  const open = async (path: string): Promise<ConsolePage> => {
    const opened = await browser.open(console, { session: await console.signIn() })
    await opened.visit(path)
    await opened.page.locator('main h1').waitFor()
    return opened
  }

  it('say so when none fits', async () => {
    await using opened = await open('monitor/logs/security?from=-1d&module=application')
    await opened.page.getByText('Nothing fits').waitFor()
    await opened.close()
  })

  it('are listed with severity and result, and one is shown with what was sent', async () => {
    await using opened = await open('monitor/logs/security?from=-1d&result=blocked')
    const { page } = opened
    const grid = page.getByRole('grid', { name: 'Security events' })
    await grid.getByText('WEB attack').first().waitFor()
    await grid.getByText('Critical').first().waitFor()
    assert.equal(await grid.getByText('Allowed', { exact: true }).count(), 0)
    assert.deepEqual(await findBarriers(opened), [])
    await grid.getByRole('row').nth(1).locator('time').click()
    const panel = page.getByRole('dialog', { name: 'WEB attack' })
    await panel.getByText('GET /evil HTTP/1.1').waitFor()
    await panel.getByRole('link', { name: 'Strict' }).waitFor()
    await panel.getByRole('link', { name: '5001' }).waitFor()
    assert.deepEqual(await findBarriers(opened), [])
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      panel.getByRole('button', { name: 'Download packets' }).click(),
    ])
    assert.match(file.suggestedFilename(), /\.pcap$/)
    await opened.close()
  })

  it('become an exception that is reviewed first', async () => {
    await using opened = await open('monitor/logs/security?from=-1d&signature_id=5001')
    const { page } = opened
    const grid = page.getByRole('grid', { name: 'Security events' })
    await grid.getByText('WEB attack').first().waitFor()
    await grid.getByRole('row').nth(1).locator('time').click()
    await page.getByRole('button', { name: 'Make an exception' }).click()
    const dialog = page.getByRole('dialog', { name: 'Make an exception' })
    await dialog.getByRole('radio', { name: 'From any address to 192.0.2.9' }).click()
    await dialog.getByLabel('Comment').fill('Our scanner')
    await dialog.getByRole('button', { name: 'Review' }).click()
    await page.getByRole('button', { name: /^Apply/ }).click()
    const admin = await console.gateway.client('predefined_admin_write')
    await until('the exception is made', async () => {
      const { signatures } = (await admin('GET', '/ips/custom')).body
      return signatures.some(({ msg }: { msg: string }) => msg === 'Exception: WEB attack')
    })
    const [first] = (await admin('GET', `/ips/profiles/${profileId}/rules`)).body
    assert.deepEqual([first.action, first.filters[0].key], ['default', 'sid'])
    await opened.close()
  })

  it('lead from a top signature to its events', async () => {
    await using opened = await open('monitor/security')
    const { page } = opened
    const signatures = page.getByRole('list', { name: 'Top signatures' })
    await signatures.getByText('WEB attack').waitFor()
    await opened.settle()
    assert.deepEqual(await findBarriers(opened), [])
    await signatures.getByRole('link', { name: 'WEB attack' }).click()
    await page.waitForURL(/monitor\/logs\/security\?.*signature_id=5001/)
    await page.getByRole('grid', { name: 'Security events' }).getByText('WEB attack').first().waitFor()
    await opened.close()
  })
})

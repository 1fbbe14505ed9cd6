// The web traffic journal and its reports with seeded requests: verdicts, names of categories, filters, details, and from a report to its requests.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { logsService } from '../../../server/src/areas/logs/service.ts'
import { parseAccessLine } from '../../../server/src/domain/web-filter/access-line.ts'
import { HitKnowledge } from '../../../server/src/gatewayd/logs/sources/hit-knowledge.ts'
import { webRecord } from '../../../server/src/gatewayd/logs/sources/web-requests.ts'
import { webLine } from '../../../server/test/support/web-lines.ts'
import { findBarriers } from '../support/axe.ts'
import { browserSkip, type ConsolePage, TestBrowser } from '../support/browser.ts'
import { type Console, startConsole } from '../support/console.ts'

describe('web traffic', { skip: browserSkip }, () => {
  let console: Console
  let browser: TestBrowser

  before(async () => {
    console = await startConsole()
    browser = await TestBrowser.start()
  })
  after(async () => {
    await browser?.close()
    await console?.close()
  })

  const seed = (): void => {
    const now = Date.now() / 1_000
    const lines = Array.from({ length: 300 }, (_, at) => {
      const isDenied = at % 7 === 0
      const host = ['news.example', 'shop.example', '<b>x</b>.example'][at % 3]
      const judged = isDenied ? { v: 'deny', st: 403, rule: '2', cat: 'users.id.2' } : { cat: '-', why: 'default' }
      return webLine({ t: now - 60 - at * 60, u: `http://${host}/page/${at}`, user: at % 2 ? 'ada' : '-', ...judged })
    })
    const records = lines.flatMap((line) => {
      const read = parseAccessLine(line.trimEnd())
      return read.is === 'request' ? [webRecord(read.request, new HitKnowledge())] : []
    })
    console.gateway.services.of(logsService).append(records)
  }
  const open = async (path: string): Promise<ConsolePage> => {
    const opened = await browser.open(console, { session: await console.signIn() })
    await opened.visit(path)
    await opened.page.locator('main h1').waitFor()
    return opened
  }

  it('says what it is for while there is nothing', async () => {
    await using opened = await open('monitor/web')
    await opened.page.getByText('No web request was recorded in this time').waitFor()
    await opened.close()
  })

  it('shows denied requests with their category, and explains one', async () => {
    seed()
    await using opened = await open('monitor/logs/web?from=-1d&result=denied')
    const { page } = opened
    const grid = page.getByRole('grid', { name: 'Web traffic' })
    await grid.getByText('Denied').first().waitFor()
    await grid.getByText('Forbidden sites').first().waitFor()
    assert.equal(await grid.getByText('Allowed', { exact: true }).count(), 0)
    assert.deepEqual(await findBarriers(opened), [])
    await grid.getByRole('row').nth(1).locator('time').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Explain the decision' }).waitFor()
    await opened.close()
  })

  it('leads from a top site to its requests', async () => {
    await using opened = await open('monitor/web')
    const { page } = opened
    const sites = page.getByRole('list', { name: 'Top sites' })
    await sites.getByText('shop.example').waitFor()
    assert.deepEqual(await findBarriers(opened), [])
    await sites.getByRole('link', { name: 'shop.example' }).click()
    await page.waitForURL(/monitor\/logs\/web\?.*host=shop\.example/)
    await page.getByRole('grid', { name: 'Web traffic' }).getByText('shop.example').first().waitFor()
    await opened.close()
  })
})

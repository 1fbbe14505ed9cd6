// Much of everything: a log that is longer than what a page reads, and a revision of thousands of objects.

import assert from 'node:assert/strict'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { browserSkip, TestBrowser } from '../support/browser.ts'
import { type Console, startConsole } from '../support/console.ts'

const lines = 12_000
const rules = 2_000
/** A page of the console has some hundreds of elements; one object of a revision some eighty. */
const mostElements = 9_000

describe('what is large', { skip: browserSkip }, () => {
  let target: Console
  let browser: TestBrowser
  before(async () => {
    target = await startConsole()
    browser = await TestBrowser.start()
    const now = Math.floor(Date.now() / 1000)
    const line = (at: number): string =>
      JSON.stringify({
        'oob.prefix': 'FWD 1 drop ',
        'oob.time.sec': now - 1_800 + Math.floor(at / 10),
        'ip.protocol': 6,
        // One host is only in the oldest line.
        'ip.totlen': 60,
        src_ip: at === 0 ? '10.10.9.9' : '10.10.0.66',
        dest_ip: '198.51.100.10',
        src_port: 1_024 + at,
        dest_port: 443,
        'oob.in': 'lan0',
        'oob.out': 'wan0',
      })
    const text = Array.from({ length: lines }, (_, at) => `${line(at)}\n`).join('')
    appendFileSync(join(target.gateway.folder, 'hits.json'), text)
    await target.seedRules(rules)
  })
  after(async () => {
    await browser?.close()
    await target?.close()
  })

  it('of a log is searched as a whole, and its counts agree', async () => {
    await using opened = await browser.openAs(target, 'predefined_admin_write', 'monitor/logs/firewall?live=0')
    const { page } = opened
    const summary = page.getByRole('status').filter({ hasText: 'Drag over the bars' })
    await summary.getByText('the newest 5,000 of 12,000 lines').waitFor()
    const bars = async (): Promise<number> => {
      const { data } = await page.evaluate(async () => {
        const reply = await fetch('/firewall/log/buckets')
        return { data: (await reply.json()) as { counts: { records: number }[] }[] }
      })
      return data.reduce((sum, { counts }) => sum + counts.reduce((all, { records }) => all + records, 0), 0)
    }
    assert.equal(await bars(), lines)
    await page.getByText('Counted in the lines that were read.').waitFor()
    await page.getByRole('button', { name: 'Read older lines' }).click()
    await summary.getByText('12,000 lines', { exact: true }).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Read older lines' }).count(), 0)
    // The oldest line is found by a text, by a column and by its time.
    for (const search of ['q=10.10.9.9', 'source_ip=10.10.9.9']) {
      await opened.go(`monitor/logs/firewall?live=0&${search}`)
      await summary.getByText('1 line', { exact: true }).waitFor()
      await page.getByRole('grid').getByRole('row').filter({ hasText: '10.10.9.9' }).waitFor()
    }
    await opened.go('monitor/logs/firewall?live=0&q=10.10.9.8')
    await summary.getByText('0 lines', { exact: true }).waitFor()
    await page.getByText('Nothing fits').waitFor()
    assert.equal(opened.takeFaults(), '')
    await opened.close()
  })

  it('of a revision is drawn in parts', async () => {
    const { revision } = target.gateway.engine
    await using opened = await browser.openAs(target, 'predefined_admin_write', `system/history/${revision}`)
    const { page } = opened
    const panel = page.getByRole('dialog', { name: `Revision ${revision}` })
    await panel.getByText('2,000 objects', { exact: true }).waitFor()
    await panel.getByText('added: 2,000').waitFor()
    await opened.settle()
    const elements = (): Promise<number> => page.evaluate(() => document.querySelectorAll('*').length)
    assert.ok((await elements()) < mostElements, `${await elements()} elements`)
    await panel.getByRole('button', { name: 'Show 50 more of 1,950' }).click()
    await panel.getByRole('button', { name: 'Show 50 more of 1,900' }).waitFor()
    assert.ok((await elements()) < 2 * mostElements, `${await elements()} elements`)
    await opened.close()
  })
})

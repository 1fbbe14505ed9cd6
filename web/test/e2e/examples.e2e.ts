// A new item on every page that follows from the contract and has an example: from the empty list over the example and the review
// to the last screen, and back by removing it.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { browserSkip, TestBrowser } from '../support/browser.ts'
import { type Console, startConsole } from '../support/console.ts'
import { assertDone, lookAt } from '../support/last-screen.ts'

const folder = join(import.meta.dirname, '..', '..', 'src', 'pages')

/** Addresses of pages whose file declares an example. */
function examplePages(): readonly string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((area) => area.isDirectory())
    .flatMap(({ name }) => {
      const read = (file: string): string => readFileSync(join(folder, name, file), 'utf8')
      const entries = read('index.ts').matchAll(/path: '([^']+)'[\s\S]*?import\('\.\/([^']+)'\)/g)
      return [...entries].flatMap(([, path = '', file = '']) => (/\bexample: \{/.test(read(file)) ? [path] : []))
    })
}

/** Pages whose example cannot be applied as it is on this gateway, and why. */
const others: Readonly<Record<string, string>> = {
  'people/authorization': 'names a user, and there is none',
  'protection/web-filter/own-categories': 'the list is not empty on a new gateway',
  'network/dhcp/interfaces': 'names a local interface that is the uplink here',
  'overview/notifications/webhooks': 'leaves the address to the person',
  'network/connections': 'the list is not empty on a new gateway',
  'network/mirrors': 'needs a free card',
  'network/virtual': 'needs a free card',
}

describe('examples of the pages', { skip: browserSkip }, () => {
  let target: Console
  let browser: TestBrowser
  before(async () => {
    target = await startConsole()
    browser = await TestBrowser.start()
  })
  after(async () => {
    await browser?.close()
    await target?.close()
  })

  it('become items, each as one revision, and leave the page free', async () => {
    const all = examplePages()
    for (const path of Object.keys(others)) assert.ok(all.includes(path), `${path} has no example any more`)
    const paths = all.filter((path) => !Object.hasOwn(others, path))
    assert.ok(paths.length >= 8, `only ${paths.length} pages have an example`)
    await using opened = await browser.openAs(target, 'predefined_admin_write', paths[0])
    const { page } = opened
    const faults: string[] = []
    for (const path of paths) {
      await opened.go(path)
      await opened.settle()
      const { engine } = target.gateway
      const before = engine.revision
      try {
        await page.getByRole('button', { name: 'Begin with an example' }).click()
        await page.getByRole('dialog').first().waitFor()
        await opened.settle()
        await page.keyboard.press('Control+Enter')
        const apply = page.locator('button:not([aria-disabled="true"]):not(:disabled)', { hasText: /^Apply/ })
        await apply.click()
        await apply.waitFor({ state: 'detached' })
        const keep = page.locator('[data-bar="probation"]').getByRole('button', { name: 'Keep' })
        await opened.settle()
        if ((await keep.count()) > 0) {
          assert.deepEqual((await lookAt(page)).covered, [])
          await keep.click()
          await keep.waitFor({ state: 'detached' })
        }
        await assertDone(opened, path, { result: () => engine.revision === before + 1 })
      } catch (error) {
        const said = (await page.locator('[role="dialog"], main').last().innerText()).replaceAll(/\s+/g, ' ')
        const text = `${path}: ${(error as Error).message.split('\n')[0]}; ${said.slice(0, 400)} ${opened.takeFaults()}`
        faults.push(text)
        await opened.visit(path)
      }
    }
    assert.deepEqual(faults, [])
    await opened.close()
  })
})

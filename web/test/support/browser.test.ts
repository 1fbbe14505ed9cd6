// What watches the pages of browser tests: a fault of any kind fails the page that had it, and only if the test did not declare it.

import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { Actions } from './actions.ts'
import { findBarriers } from './axe.ts'
import { browserSkip, type ConsolePage, TestBrowser } from './browser.ts'
import { type Console, startConsole } from './console.ts'

const page = `<!doctype html><html lang="en"><title>Console</title><main><h1>Hello</h1>
<label>Name <input></label><button>Plain</button></main><script type="module" src="/ui/assets/main-1.js"></script>`
const script = `
const faults = {
  console: () => console.error('a fault of the page'),
  exception: () => { setTimeout(() => { throw new Error('an exception') }) },
  style: () => document.body.setAttribute('style', 'color: red'),
  markup: () => { try { document.body.innerHTML = '<p>hostile' } catch {} },
  refused: () => fetch('/firewall/settings', { method: 'PATCH', body: '{' }),
  unknown: () => fetch('/ui/assets/none-1.js'),
  barrier: () => document.querySelector('label').replaceWith(document.querySelector('input')),
}
addEventListener('popstate', () => faults[location.pathname.split('/').at(-1)]?.())
document.querySelector('h1').textContent = (await (await fetch('/web/whoami')).json()).login ?? 'signed out'
`

describe('a page of a browser test', { skip: browserSkip }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-page-'))
  let target: Console
  let browser: TestBrowser
  before(async () => {
    mkdirSync(join(folder, 'assets'))
    writeFileSync(join(folder, 'index.html'), page)
    writeFileSync(join(folder, 'assets/main-1.js'), script)
    const file = (type: string) => ({ type: `text/${type}; charset=utf-8`, hash: 'x', codings: [] })
    const files = { 'index.html': file('html'), 'assets/main-1.js': file('javascript') }
    writeFileSync(join(folder, 'files.json'), JSON.stringify(files))
    target = await startConsole({ parts: { consoleFolder: pathToFileURL(`${folder}/`) } })
    browser = await TestBrowser.start()
  })
  after(async () => {
    await browser?.close()
    await target?.close()
    rmSync(folder, { recursive: true })
  })

  const open = async (): Promise<ConsolePage> => {
    const opened = await browser.openAs(target)
    await opened.page.getByRole('heading', { name: 'admin' }).waitFor()
    return opened
  }
  const faults: readonly (readonly [path: string, pattern: RegExp])[] = [
    ['console', /a fault of the page/],
    ['exception', /an exception/],
    ['style', /policy violation: style-src/],
    ['markup', /policy violation: require-trusted-types-for/],
    ['refused', /refused: 415 PATCH/],
    ['unknown', /refused: 404 GET .*none-1\.js/],
  ]

  it('is signed in with the role that it was opened with, and closes without faults', async () => {
    const opened = await open()
    assert.equal(await opened.overflow(), 0)
    await opened.close()
  })

  it('without a session may ask who it is', async () => {
    const opened = await browser.open(target)
    await opened.visit('network')
    await opened.page.getByRole('heading', { name: 'signed out' }).waitFor()
    await opened.close()
  })

  it('leaves a tab to the next one, and nothing of its own in it', async () => {
    const used = await open()
    const { page: tab } = used
    const heard: string[] = []
    tab.on('request', (request) => heard.push(request.url()))
    await tab.route('**/web/whoami', (route) => route.fulfill({ json: { login: 'changed' } }))
    await tab.evaluate(() => {
      localStorage.setItem('one', 'kept')
      sessionStorage.setItem('one', 'kept')
      window.name = 'kept'
      history.replaceState('kept', '')
      document.title = 'kept'
      addEventListener('beforeunload', (event) => event.preventDefault())
    })
    await tab.getByLabel('Name').fill('kept')
    await tab.setViewportSize({ width: 390, height: 800 })
    await tab.context().setOffline(true)
    await used.close()
    heard.length = 0

    const other = await browser.open(target)
    assert.equal(other.page, tab)
    assert.deepEqual(await tab.context().cookies(), [])
    await other.visit()
    await tab.getByRole('heading', { name: 'signed out' }).waitFor()
    const found = await tab.evaluate(() => ({
      stored: [localStorage.length, sessionStorage.length],
      said: [window.name, document.title, String(history.state), document.querySelector('input')?.value],
      size: [innerWidth, innerHeight],
    }))
    assert.deepEqual(found, { stored: [0, 0], said: ['', 'Console', 'null', ''], size: [1280, 800] })
    assert.deepEqual(heard, [])
    await other.close()
  })

  it('is a tab of its own beside another one, and for another language', async () => {
    const first = await open()
    const second = await open()
    const russian = await browser.open(target, { language: 'ru-RU' })
    assert.equal(new Set([first, second, russian].map(({ page: one }) => one.context())).size, 3)
    await russian.visit()
    assert.equal(await russian.page.evaluate(() => navigator.language), 'ru-RU')
    for (const one of [first, second, russian]) await one.close()
  })

  for (const [path, pattern] of faults) {
    it(`does not close with a fault: ${path}`, async () => {
      const declared = await open()
      const undeclared = await open()
      declared.log.expect(pattern)
      declared.log.allow(/./)
      for (const { page: one } of [declared, undeclared]) {
        const seen =
          path === 'refused' || path === 'unknown'
            ? one.waitForResponse((response) => response.status() >= 400)
            : path === 'exception'
              ? one.waitForEvent('pageerror')
              : one.waitForEvent('console')
        await Promise.all([seen, (one === declared.page ? declared : undeclared).go(path)])
        // What the browser says comes in order, so this one is behind all others.
        await Promise.all([one.waitForEvent('console', (message) => message.text() === 'last'), say(one, 'last')])
      }
      await declared.close()
      await assert.rejects(() => undeclared.close(), pattern)
    })
  }

  it('is searched for barriers', async () => {
    const opened = await open()
    assert.deepEqual(await findBarriers(opened), [])
    await opened.go('barrier')
    assert.match((await findBarriers(opened)).join(), /^label: /)
    await opened.close()
  })

  it('counts what a person does', async () => {
    const opened = await open()
    const actions = new Actions(opened)
    await actions.click(opened.page.getByRole('button'))
    await actions.type('text', opened.page.getByLabel('Name'))
    await actions.press('Control+a')
    actions.assertAtMost(3, 'a goal')
    assert.throws(() => actions.assertAtMost(2, 'a goal'), /took 3 actions and may take 2:\n1\. click/)
    await opened.close()
  })
})

const say = (one: ConsolePage['page'], text: string): Promise<void> => one.evaluate((words) => console.log(words), text)

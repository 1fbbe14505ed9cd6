// The files of the web console: where they are, how long a browser keeps them, in which coding they come, under which policy,
// and that nothing else is ever read from the disk.
// Requirement 38.

import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { createTestGateway, type TestGateway } from '../support/test-gateway.ts'
import { ask } from './contract.ts'

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self'; connect-src 'self'; " +
  "form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
const page = '<!doctype html><title>Console</title>'
const script = `export const text = '${'long enough to be compressed '.repeat(100)}'`
const secret = 'not for the browser'

const types = { html: 'text/html; charset=utf-8', js: 'text/javascript; charset=utf-8', woff2: 'font/woff2' }

function build(folder: string, index: string): void {
  mkdirSync(join(folder, 'assets'), { recursive: true })
  mkdirSync(join(folder, '.vite'), { recursive: true })
  const write = (name: string, content: string | Buffer): void => writeFileSync(join(folder, name), content)
  write('index.html', index)
  write('assets/main-1a2b3c4d.js', script)
  write('assets/main-1a2b3c4d.js.br', brotliCompressSync(script))
  write('assets/main-1a2b3c4d.js.gz', gzipSync(script))
  write('assets/geist-9f8e7d6c.woff2', 'wOF2')
  write('.vite/manifest.json', secret)
  write('../beside.txt', secret)
  write(
    'files.json',
    JSON.stringify({
      'index.html': { type: types.html, hash: 'index', codings: [] },
      'assets/main-1a2b3c4d.js': { type: types.js, hash: 'main', codings: ['br', 'gzip'] },
      'assets/geist-9f8e7d6c.woff2': { type: types.woff2, hash: 'geist', codings: [] },
    }),
  )
}

describe('the web console', () => {
  const root = mkdtempSync(join(tmpdir(), 'portcullis-console-'))
  const folder = join(root, 'dist')
  let gateway: TestGateway
  before(async () => {
    build(folder, page)
    gateway = await createTestGateway({ parts: { consoleFolder: pathToFileURL(`${folder}/`) } })
  })
  after(async () => {
    await gateway.close()
    rmSync(root, { recursive: true })
  })

  const get = (url: string, headers: Record<string, string> = {}, method = 'GET') =>
    ask(gateway, { method, url, headers })
  const bytes = (url: string, encoding: string) =>
    gateway.http.inject({ url, headers: { host: 'gateway.test', 'accept-encoding': encoding } })

  it('is where the root leads', async () => {
    for (const url of ['/', '/ui', '/?from=mail']) {
      const answer = await get(url)
      assert.equal(answer.status, 302, url)
      assert.equal(answer.headers.location, '/ui/', url)
      assert.equal(answer.headers['content-security-policy'], "default-src 'none'; frame-ancestors 'none'", url)
    }
  })

  it('is one page at every path of a page, without a session, asked for again each time', async () => {
    const pages = ['/ui/', '/ui/policy/rules/forward/42?tab=history&q=%3Cb%3E', '/ui/objects/address_list.id.22']
    for (const url of [...pages, '/ui/index.html', '/ui/x%2Fy%00z']) {
      const answer = await get(url)
      assert.equal(answer.status, 200, url)
      assert.equal(answer.text, page, url)
      assert.equal(answer.headers['content-type'], types.html)
      assert.equal(answer.headers['cache-control'], 'no-cache')
      assert.equal(answer.headers['content-security-policy'], policy)
      assert.equal(answer.headers['x-content-type-options'], 'nosniff')
      assert.equal(answer.headers.vary, 'accept-encoding')
    }
  })

  it('has files that a browser keeps permanently', async () => {
    for (const [url, type] of [
      ['/ui/assets/main-1a2b3c4d.js', types.js],
      ['/ui/assets/geist-9f8e7d6c.woff2', types.woff2],
    ] as const) {
      const answer = await get(url)
      assert.equal(answer.status, 200)
      assert.equal(answer.headers['content-type'], type)
      assert.equal(answer.headers['cache-control'], 'public, max-age=31536000, immutable')
      assert.equal(answer.headers['content-security-policy'], policy)
    }
  })

  it('comes in the coding that the client likes best of those that were built', async () => {
    const url = '/ui/assets/main-1a2b3c4d.js'
    const read = { br: brotliDecompressSync, gzip: gunzipSync }
    for (const [accepted, coding] of [
      ['gzip, deflate, br, zstd', 'br'],
      ['gzip', 'gzip'],
      ['gzip, br;q=0.5', 'gzip'],
      ['*', 'br'],
    ] as const) {
      const answer = await bytes(url, accepted)
      assert.equal(answer.headers['content-encoding'], coding, accepted)
      assert.equal(answer.headers.etag, `"main-${coding}"`)
      assert.equal(read[coding](answer.rawPayload).toString(), script)
    }
    for (const accepted of ['', 'identity', 'zstd', 'br;q=0, gzip;q=0']) {
      const answer = await bytes(url, accepted)
      assert.equal(answer.headers['content-encoding'], undefined, accepted)
      assert.equal(answer.body, script)
    }
    assert.equal((await bytes('/ui/assets/geist-9f8e7d6c.woff2', 'br')).headers['content-encoding'], undefined)
  })

  it('is not sent again to those who have it, in whatever coding', async () => {
    for (const tag of ['"main"', '"main-br"', 'W/"main-gzip"', '"other", "main"', '*']) {
      const answer = await get('/ui/assets/main-1a2b3c4d.js', { 'if-none-match': tag })
      assert.equal(answer.status, 304, tag)
      assert.equal(answer.text, '')
      assert.equal(answer.headers['cache-control'], 'public, max-age=31536000, immutable')
    }
    assert.equal((await get('/ui/', { 'if-none-match': '"main"' })).status, 200)
    assert.equal((await get('/ui/', { 'if-none-match': '"index"' })).status, 304)
  })

  it('answers HEAD as GET without the bytes', async () => {
    for (const url of ['/ui/', '/ui/assets/main-1a2b3c4d.js']) {
      const [head, whole] = [await get(url, {}, 'HEAD'), await get(url)]
      assert.equal(head.status, 200)
      assert.equal(head.text, '')
      for (const name of ['content-length', 'content-type', 'etag', 'cache-control']) {
        assert.equal(head.headers[name], whole.headers[name], `${name} of ${url}`)
      }
    }
    assert.equal((await get('/', {}, 'HEAD')).status, 302)
  })

  it('takes no other method', async () => {
    const admin = await gateway.client('predefined_admin_write')
    for (const url of ['/', '/ui/', '/ui/assets/main-1a2b3c4d.js']) {
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
        assert.equal((await get(url, {}, method)).status, 401, `${method} ${url}`)
        const answer = await admin(method, url)
        assert.equal(answer.status, 405, `${method} ${url}`)
        assert.equal(answer.headers.allow, 'GET, HEAD')
      }
    }
  })

  it('has no file that the build did not list, however it is spelled', async () => {
    const outside = ['assets/none-00000000.js', 'assets/', 'assets/../index.html', 'assets/main-1a2b3c4d.js.br']
    const up = ['../beside.txt', '..%2fbeside.txt', '%2e%2e/beside.txt', '..%5cbeside.txt', 'a/../../beside.txt', '.']
    const inside = ['.vite/manifest.json', 'files.json', '%2evite/manifest.json', '/etc/passwd', 'file:///etc/passwd']
    const odd = ['INDEX.HTML', 'assets%2fmain-1a2b3c4d.js', 'assets/main-1a2b3c4d.js%00', 'assets/main-1a2b3c4d.js/']
    const inherited = ['constructor', '__proto__', 'assets/__proto__', 'toString']
    for (const name of [...outside, ...up, ...inside, ...odd, ...inherited]) {
      const answer = await get(`/ui/${name}`)
      assert.doesNotMatch(answer.text, new RegExp(secret), name)
      const isPage = answer.status === 200 && answer.text === page
      const isFile = answer.status === 200 && answer.text === script && name === 'assets%2fmain-1a2b3c4d.js'
      assert.ok(isPage || isFile || [400, 401, 404].includes(answer.status), `${name}: ${answer.status}`)
      if (outside.includes(name) && name !== 'assets/../index.html') assert.equal(answer.status, 404, name)
    }
  })

  it('is not below the second prefix of the interface', async () => {
    for (const url of ['/rest/', '/rest/ui/', '/rest/ui/assets/main-1a2b3c4d.js']) {
      assert.equal((await get(url)).status, 404, url)
    }
  })

  it('loads many times over within what a client may ask without a session', async () => {
    for (let count = 0; count < 25; count++) {
      const files = Array.from({ length: 80 }, () => get('/ui/assets/main-1a2b3c4d.js', { 'if-none-match': '"main"' }))
      for (const { status } of await Promise.all(files)) assert.equal(status, 304)
    }
  })

  it('is the newest build from the next time that it is opened', async () => {
    build(folder, `${page}<p>2</p>`)
    utimesSync(join(folder, 'files.json'), new Date(), new Date(Date.now() + 60_000))
    assert.equal((await get('/ui/')).text, `${page}<p>2</p>`)
  })

  it('that is gone from the disk is not found', async () => {
    assert.equal((await get('/ui/')).status, 200)
    rmSync(join(folder, 'assets/geist-9f8e7d6c.woff2'))
    assert.equal((await get('/ui/assets/geist-9f8e7d6c.woff2')).status, 404)
  })

  it('that is not built says how to build it', async () => {
    const other = await createTestGateway({ parts: { consoleFolder: pathToFileURL(`${root}/none/`) } })
    const answer = await ask(other, { method: 'GET', url: '/ui/network' })
    assert.equal(answer.status, 503)
    assert.match(answer.text, /npm run web:build/)
    assert.equal(answer.headers['content-security-policy'], policy)
    assert.equal(answer.headers['cache-control'], 'no-store')
    assert.equal((await ask(other, { method: 'GET', url: '/ui/assets/main-1a2b3c4d.js' })).status, 404)
    await other.close()
  })
})

// Pages and files through a real Squid, judged by our ICAP services and the real antivirus program, in a namespace without
// any other network: what is refused, what passes, whole and at every length.

import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { unlessComplete } from '../support/requires.ts'
import type { Fetched } from '../support/web-bodies.ts'

const isReady = process.getuid?.() === 0 && existsSync('/usr/sbin/squid') && existsSync('/usr/sbin/clamd')
const skip = isReady ? false : unlessComplete('only root can make namespaces, and Squid and clamd must be installed')

describe('bodies through Squid', { skip }, () => {
  const namespace = `web-bodies-${randomBytes(4).toString('hex')}`
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-web-bodies-'))
  let fetched = new Map<string, Fetched>()
  let log: readonly { readonly u: string; readonly words: string; readonly virus: string }[] = []
  before(async () => {
    chmodSync(folder, 0o777)
    spawnSync('/usr/sbin/ip', ['netns', 'add', namespace])
    spawnSync('/usr/sbin/ip', ['-n', namespace, 'link', 'set', 'lo', 'up'])
    const driver = join(import.meta.dirname, '..', 'support', 'web-bodies.ts')
    const args = ['netns', 'exec', namespace, process.execPath, '--disable-warning=ExperimentalWarning', driver, folder]
    const child = spawn('/usr/sbin/ip', args, { stdio: ['ignore', 'pipe', 'inherit'] })
    let output = ''
    child.stdout.on('data', (piece: Buffer) => {
      output += piece.toString()
    })
    await once(child, 'close')
    const seen = JSON.parse(output) as { fetched: Fetched[]; log: string[] }
    fetched = new Map(seen.fetched.map((one) => [one.name, one]))
    log = seen.log.map((line) => JSON.parse(line) as (typeof log)[number])
  })
  after(() => {
    spawnSync('/usr/sbin/ip', ['netns', 'delete', namespace])
    rmSync(folder, { recursive: true, force: true })
  })

  const shown = (name: string) => {
    const { status, isWhole, isPage } = fetched.get(name) ?? assert.fail(name)
    return [status, isWhole, isPage]
  }
  const logged = (name: string) => {
    const { words, virus } = log.find(({ u }) => u.endsWith(`/${name}`)) ?? assert.fail(name)
    return [words, virus]
  }

  it('a page with the words is refused, in every encoding', () => {
    for (const name of ['bad', 'bad-1251', 'bad-gzip', 'bad-br']) assert.deepEqual(shown(name), [403, true, true], name)
    assert.deepEqual(logged('bad'), ['d.1', '-'])
  })

  it('a page beyond 64 KB is judged whole: our page takes its place', () => {
    for (const name of ['bad-100k', 'bad-1m-chunked']) assert.deepEqual(shown(name), [200, true, true], name)
  })

  it('other pages and files arrive whole at any length, and an origin cannot write into the log', () => {
    for (const name of ['good', 'good-100k', 'good-1m', 'good-1m-chunked', 'long-page', 'clean-file', 'long-file']) {
      assert.deepEqual(shown(name), [200, true, false], name)
      assert.deepEqual(logged(name), ['-', '-'], name)
    }
    assert.equal(fetched.get('long-file')?.bytes, 40_000_000)
    assert.equal(fetched.get('clean-file')?.bytes, 1_000_000)
  })

  it('a file with a virus is refused with a page that names it', () => {
    assert.deepEqual(shown('virus'), [403, true, true])
    assert.match(fetched.get('virus')?.text ?? '', /Eicar-Test\.UNOFFICIAL/)
    assert.deepEqual(logged('virus'), ['-', 'Eicar-Test.UNOFFICIAL'])
  })

  it('without the antivirus program nothing arrives, or it passes where that is configured', () => {
    assert.deepEqual(shown('dead'), [503, true, true])
    assert.equal(fetched.get('dead-large')?.isWhole, false)
    assert.equal(fetched.get('dead-large')?.bytes, 0)
    assert.deepEqual(shown('dead-pass'), [200, true, false])
  })
})

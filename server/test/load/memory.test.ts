// What must not lie in memory: the stripper of the runtime in any thread, and garbage without end. Megabytes of the whole
// processes are measured by npm run bench.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { plainOption } from '../../src/shared/files/plain.ts'
import { appRoot, runtimePath } from '../../src/tools/launcher/layout.ts'
import { ApiClient } from '../support/api-client.ts'
import { until } from '../support/until.ts'

interface Report {
  readonly number: number
  readonly hasStripper: boolean
  readonly heapMegabytes: number
}

const password = 'correct horse 9'
/** Far above what they need, and far below what a second copy of something large would add. */
const heapLimits = { gatewayd: 60, applyd: 20 }

describe('memory of the processes', () => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-memory-'))
  const children: ChildProcess[] = []
  const reporter = pathToFileURL(join(import.meta.dirname, '..', 'support', 'report-threads.mjs'))

  function start(name: string, program: string, env: Readonly<Record<string, string>>): () => string {
    const reports = join(folder, name)
    mkdirSync(reports)
    reporter.searchParams.set('folder', reports)
    const options = [plainOption(appRoot), '--expose-gc', `--import=${reporter.href}`]
    const child = spawn(runtimePath(appRoot), [...options, join(appRoot, program)], {
      stdio: ['ignore', 'pipe', 'pipe'],
      // Without compiled code of earlier runs, as at the very first start.
      env: { PORTCULLIS_STATE: join(folder, 'state'), PORTCULLIS_DATAPLANE: 'none', ...env },
    })
    children.push(child)
    let said = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        said += text
      })
    return () => said
  }

  const threadsOf = (name: string): readonly string[] =>
    readdirSync(join(folder, name)).filter((file) => !file.endsWith('.draft'))

  const read = (name: string, thread: string): Report =>
    JSON.parse(readFileSync(join(folder, name, thread), 'utf8')) as Report

  /** What each thread says after everything that it was asked before. */
  async function reportsOf(name: string): Promise<readonly Report[]> {
    writeFileSync(join(folder, `${name}.collect`), '')
    const before = new Map(threadsOf(name).map((thread) => [thread, read(name, thread).number]))
    await until('every thread reports', () =>
      [...before].every(([thread, number]) => read(name, thread).number > number + 1),
    )
    return threadsOf(name).map((thread) => read(name, thread))
  }

  before(() => {
    const { status } = spawnSync(process.execPath, [join(appRoot, 'scripts/plain.mjs')], { stdio: 'inherit' })
    assert.equal(status, 0)
  })

  after(async () => {
    const ends = children.map((child) => new Promise((resolve) => child.once('exit', resolve)))
    for (const child of children) child.kill('SIGKILL')
    await Promise.all(ends)
    rmSync(folder, { recursive: true, force: true })
  })

  test('neither process nor any worker loads the stripper, at the very first start', async () => {
    const applydSaid = start('applyd', 'server/src/applyd/main.ts', {})
    await until('applyd serves', () => applydSaid().includes('applyd is ready'))
    const gatewaydSaid = start('gatewayd', 'server/src/gatewayd/main.ts', {
      PORTCULLIS_LISTEN: '127.0.0.1:0',
      PORTCULLIS_AGENT_LISTEN: '127.0.0.1:0',
      PORTCULLIS_ADMIN_PASSWORD: password,
    })
    const address = (): string | undefined => /"address":"(https[^"]+)"/.exec(gatewaydSaid())?.[1]
    await until('gatewayd serves', () => address() !== undefined)
    const api = new ApiClient(address() ?? '')
    await api.signIn('admin', password)
    for (const path of ['/firewall/rules/forward', '/firewall/hygiene', '/firewall/log', '/openapi.json'])
      assert.equal((await api.call('GET', path)).status, 200, path)
    const values = Array.from({ length: 20_000 }, (_, at) => `10.${at >> 16}.${(at >> 8) & 255}.${at & 255}`)
    assert.equal((await api.call('POST', '/aliases/ip_address_lists', { title: 'Large', values })).status, 200)
    api.close()

    // The main thread, and the workers of expensive reads, of the log and of large bodies.
    await until('the workers report', () => threadsOf('gatewayd').length >= 4)
    // The thread of the nft library, where that can be used.
    if (applydSaid().includes('loaded by the nft library'))
      await until('the thread of the nft library reports', () => threadsOf('applyd').length >= 2)
    for (const name of ['gatewayd', 'applyd'] as const)
      for (const { hasStripper, heapMegabytes } of await reportsOf(name)) {
        assert.equal(hasStripper, false, name)
        assert.ok(heapMegabytes < heapLimits[name], `${name} has ${heapMegabytes} MB after a collection`)
      }
  })
})

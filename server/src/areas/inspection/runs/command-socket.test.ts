import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, describe, it } from 'node:test'
import { askEngine } from './command-socket.ts'

type Reply = (command: string) => unknown

describe('the command socket of the engine', () => {
  let folder = ''
  let server: Server | null = null
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'portcullis-command-'))
  })
  after(() => rmSync(folder, { recursive: true, force: true }))
  afterEach(() => server?.close())

  async function listen(reply: Reply): Promise<string> {
    const path = join(folder, 'command.sock')
    rmSync(path, { force: true })
    server = createServer((socket) => {
      socket.setEncoding('utf8')
      socket.on('error', () => {})
      socket.on('data', (text: string) => {
        for (const line of text.split('\n').filter((one) => one !== '')) {
          const { version, command } = JSON.parse(line) as { version?: string; command?: string }
          const answer = version === '0.2' ? { return: 'OK' } : reply(command ?? '')
          if (answer !== undefined) socket.write(typeof answer === 'string' ? answer : `${JSON.stringify(answer)}\n`)
        }
      })
    }).listen(path)
    await once(server, 'listening')
    return path
  }

  const ok = (message: unknown) => ({ return: 'OK', message })
  const answers: Record<string, unknown> = {
    version: ok('7.0.10 RELEASE'),
    'ruleset-stats': ok([{ id: 0, rules_loaded: 12, rules_failed: 1, rules_skipped: 2 }]),
    'ruleset-failed-rules': ok([
      { tenant_id: 0, rule: 'drop tcp any any -> any any (msg:"a \\"b\\""; sid: 77;)', line: 3 },
    ]),
    'dump-counters': ok({ uptime: 5, decoder: { pkts: 9, bytes: 900 }, odd: ['x'] }),
  }

  it('tells version, rules, failures and counters', async () => {
    const path = await listen((command) => answers[command])
    assert.deepEqual(await askEngine(path, 60_000), {
      version: '7.0.10 RELEASE',
      loaded: 12,
      refused: 1,
      skipped: 2,
      failed: [{ sid: 77, name: 'a "b"', reason: 'The engine does not take this rule.' }],
      counters: { uptime: 5, 'decoder.pkts': 9, 'decoder.bytes': 900 },
    })
  })

  it('tells the rest where one question is refused', async () => {
    const path = await listen((command) => (command === 'dump-counters' ? { return: 'NOK' } : answers[command]))
    const report = await askEngine(path, 60_000)
    assert.deepEqual([report?.loaded, report?.counters], [12, {}])
  })

  it('knows that rules are refused, also where they are more than it reads', async () => {
    const path = await listen((command) =>
      command === 'ruleset-failed-rules' ? 'x'.repeat(9 * 1024 * 1024) : answers[command],
    )
    const report = await askEngine(path, 60_000)
    assert.deepEqual([report?.refused, report?.failed], [1, []])
  })

  it('knows nothing where no one listens, or what comes cannot be read, or nothing comes', async () => {
    assert.equal(await askEngine(join(folder, 'none.sock')), null)
    assert.equal(await askEngine(await listen(() => 'not json\n'), 60_000), null)
    server?.close()
    assert.equal(await askEngine(await listen(() => undefined), 50), null)
  })

  it('does not read without end', async () => {
    const path = await listen(() => 'x'.repeat(9 * 1024 * 1024))
    assert.equal(await askEngine(path, 60_000), null)
  })
})

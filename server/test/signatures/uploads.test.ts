// Uploads of signatures over HTTP, through the real applyd to the real Suricata under its own account: an archive comes to its end,
// the largest file holds no one up, its progress is seen, and its check ends with its client.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { inspectionPaths } from '../../src/engines/inspection/index.ts'
import { ApplydClient } from '../../src/gatewayd/apply/client.ts'
import { unlessComplete } from '../support/requires.ts'
import { compileCache, ourRuntime } from '../support/started.ts'
import { type Client, createTestGateway, type TestGateway } from '../support/test-gateway.ts'
import { until } from '../support/until.ts'

const service = { uid: 70_032, gid: 70_032 }
const isPossible = process.getuid?.() === 0 && existsSync('/usr/bin/suricata')
const skip = isPossible
  ? false
  : unlessComplete('only root can run Suricata under another account, and it must be there')
const main = join(import.meta.dirname, '..', '..', 'src', 'applyd', 'main.ts')

const rule = (sid: number, options = `content:"needle ${sid}"; `): string =>
  `alert tcp any any -> any any (msg:"Rule ${sid}"; ${options}sid:${sid};)`
const fileOf = (count: number, text: (sid: number) => string = rule): string =>
  Array.from({ length: count }, (_, index) => `${text(index + 1)}\n`).join('')
/** Only the engine sees that it cannot be used. */
const bad = (sid: number): string => rule(sid, 'pcre:"/(/"; ')

interface Check {
  readonly kind: string
  readonly total: number
  readonly done: number
}

describe('uploads of signatures, with the engine under its own account', { skip }, () => {
  const stateDir = mkdtempSync(join(tmpdir(), 'portcullis-uploads-'))
  let applyd: ChildProcess
  let client: ApplydClient
  let gateway: TestGateway
  let admin: Client
  let url = ''

  before(async () => {
    spawnSync('/usr/bin/chmod', ['711', stateDir])
    const env = {
      PORTCULLIS_STATE: join(stateDir, 'state'),
      PORTCULLIS_DATAPLANE: 'lab',
      PORTCULLIS_ACCOUNT_BLOCK: String(service.uid),
      PORTCULLIS_SERVICE_UID: String(service.uid),
      PORTCULLIS_SERVICE_GID: String(service.gid),
      ...compileCache,
    }
    mkdirSync(join(stateDir, 'state'), { mode: 0o711 })
    // It reads and changes the rules of a network of its own.
    applyd = spawn('/usr/bin/unshare', ['--net', ...ourRuntime, main], { env, stdio: 'ignore' })
    client = new ApplydClient(join(stateDir, 'state', 'run', 'applyd.sock'), { connectMs: 60_000 })
    await client.observe()
    // What is to be checked has to be where applyd finds it.
    const folder = join(stateDir, 'gateway')
    mkdirSync(folder)
    symlinkSync(join(stateDir, 'state', inspectionPaths.candidates), join(folder, 'candidates'))
    gateway = await createTestGateway({ folder })
    gateway.applier.ask = (question) => client.ask(question)
    admin = await gateway.client('predefined_admin_write')
    url = await gateway.http.listen({ host: '127.0.0.1', port: 0 })
  })
  after(async () => {
    await gateway?.close()
    client?.close()
    applyd?.kill('SIGINT')
    if (applyd) await once(applyd, 'exit')
    rmSync(stateDir, { recursive: true, force: true })
  })

  const work = join(stateDir, 'state', inspectionPaths.work)
  /** Processes that check signatures of this test. */
  const checking = (): string[] =>
    readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && commandOf(pid).includes(`${work}/check-`))
  const checks = async (): Promise<Check[]> => (await admin('GET', '/ips/signature_checks')).body
  const upload = (text: string, signal: AbortSignal | null = null): Promise<Response> =>
    fetch(`${url}/ips/custom_rules_file`, {
      method: 'POST',
      body: text,
      signal,
      headers: { host: 'gateway.test', cookie: admin.cookie, 'content-type': 'text/plain' },
    })
  const archive = (text: string) =>
    admin('POST', '/ips/rule_archives?name=open', text, { 'content-type': 'application/octet-stream' })

  it('has an archive checked, which the engine may read and no other account', async () => {
    assert.notEqual(statSync(work).uid, 0)
    assert.notEqual(statSync(work).uid, service.uid)
    const { status, text, body } = await archive(`${fileOf(5_000)}${bad(9_000)}\n${rule(9_001)}\n`)
    assert.equal(status, 200, text)
    await until('it is checked', async () => (await admin('GET', '/ips/rule_archives')).body[0].state !== 'checking')
    const [shown] = (await admin('GET', '/ips/rule_archives')).body
    assert.deepEqual(
      [shown.state, shown.checked, shown.rules, shown.failed_count],
      ['active', true, 5_001, 1],
      shown.message,
    )
    const refusals = (await admin('GET', `/ips/rule_archives/${body.id}/refusals`)).body
    assert.deepEqual([refusals.total, refusals.refusals[0].line, refusals.refusals[0].sid], [1, 5_001, 9_000])
    assert.equal((await admin('DELETE', `/ips/rule_archives/${body.id}`)).status, 200)
  })

  it('answers a single signature while the largest file is checked; the check ends with its client', async () => {
    const leaving = new AbortController()
    const answer = upload(fileOf(99_999), leaving.signal).then(
      ({ status }) => status,
      () => 'gone',
    )
    await until('its check is under way', async () => (await checks()).some(({ done }) => done > 0))
    const [before] = await checks()
    const single = await admin('POST', '/ips/custom?dry_run=true', { comment: '', rule: rule(999_999) })
    assert.equal(single.status, 200, single.text)
    const refused = await admin('POST', '/ips/custom', { comment: '', rule: bad(999_999) })
    assert.equal(refused.status, 422, refused.text)
    const [after] = await checks()
    assert.ok(before && after, 'the file was checked before the single signature')
    assert.deepEqual([after.kind, after.total], ['file', 99_999])
    assert.ok(after.done < after.total)
    await until('its progress moves', async () => ((await checks())[0]?.done ?? 0) > after.done)
    let pids: string[] = []
    await until('a process checks it', () => {
      pids = checking()
      return pids.length > 0
    })
    leaving.abort()
    assert.equal(await answer, 'gone')
    await until('the check is gone', async () => (await checks()).length === 0)
    await until('the process is gone', () => checking().length === 0)
    assert.deepEqual((await admin('GET', '/ips/custom')).body.signatures, [])
  })

  it('ends the check of an archive that is removed', async () => {
    const { body } = await archive(fileOf(60_000))
    await until('a process checks it', () => checking().length > 0)
    assert.equal((await checks())[0]?.kind, 'archive')
    assert.equal((await admin('DELETE', `/ips/rule_archives/${body.id}`)).status, 200)
    await until('the check is gone', async () => (await checks()).length === 0 && checking().length === 0)
  })

  it('loads a file of thousands as a whole, or names all lines that are refused', async () => {
    const isBad = (sid: number): boolean => sid % 10 === 0
    const refused = await upload(fileOf(5_000, (sid) => (isBad(sid) ? bad(sid) : rule(sid))))
    const body = (await refused.json()) as { message: string; problems: { field: string }[] }
    assert.equal(refused.status, 422)
    assert.match(body.message, /^These lines of the file are invalid: 10, 20, .* and 400 more, which GET/)
    assert.equal(body.problems.length, 100)
    const lines: number[] = []
    for (let offset = 0; offset < 500; offset += 200) {
      const page = (await admin('GET', `/ips/custom_refusals?offset=${offset}&limit=200`)).body
      assert.equal(page.total, 500)
      lines.push(...page.refusals.map(({ line }: { line: number }) => line))
    }
    assert.deepEqual(
      lines,
      Array.from({ length: 500 }, (_, index) => 10 * (index + 1)),
    )
    const csv = (await admin('GET', '/ips/custom_refusals?format_type=CSV')).text.trimEnd().split('\r\n')
    assert.equal(csv.length, 501)
    const loaded = await upload(fileOf(5_000))
    assert.deepEqual(await loaded.json(), { count: 5_000 })
  })
})

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}

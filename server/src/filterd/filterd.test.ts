// The decision process as a process: its files, sessions of users from gatewayd, reloads as applyd asks for them, and questions
// as the helper of the proxy sends them, hostile ones too.
// Requirements 20 and 53.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { until } from '../../test/support/until.ts'
import { askReload } from '../applyd/units.ts'
import { WebFilterSocket } from '../areas/content-filter/runs/socket.ts'
import type { FilterPolicy, FilterRule, FilterUser } from '../domain/web-filter/model.ts'
import { printDictionaries, printPolicy, printUserCategories } from '../domain/web-filter/policy-file.ts'

const program = join(import.meta.dirname, 'main.ts')
const anyone = { isAny: true, members: [], addresses: [] }
const rule = (id: number, more: Partial<FilterRule>): FilterRule => ({
  id,
  name: `rule ${id}`,
  access: 'deny',
  redirectUrl: null,
  sources: anyone,
  categories: ['users.id.1'],
  methods: [],
  contentTypes: [],
  times: null,
  ...more,
})
const policyOf = (...rules: readonly FilterRule[]): FilterPolicy => ({
  isEnabled: true,
  usesExtended: true,
  safeSearch: false,
  morphology: false,
  onFailure: 'block',
  names: { 'users.id.1': 'Forbidden "<sites>"', 'extended.id.39': 'Casinos, lotteries, betting' },
  rules,
})
const anna: FilterUser = { id: 'user.id.5', login: 'anna', name: 'Anna', members: ['user.id.5', 'group.id.2'] }

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

describe('the decision process', () => {
  let folder: string
  let filterd: ChildProcess
  let blockPort: number
  const path = (name: string) => join(folder, name)
  let places: [string, string][] = []
  let gatewayd: WebFilterSocket
  const startGatewayd = (): void => {
    gatewayd = new WebFilterSocket({
      places: () => places,
      userOf: (id) => (id === anna.id ? anna : null),
      log: () => {},
      everyMs: 50,
    })
    gatewayd.serve(path('gateway.sock'))
  }
  const write = (policy: FilterPolicy, entries: readonly string[] = ['casino.test']): void => {
    writeFileSync(path('policy.json'), printPolicy(policy))
    writeFileSync(path('user-categories.txt'), printUserCategories([{ id: 'users.id.1', entries }]))
    writeFileSync(path('dictionaries.json'), printDictionaries([]))
  }
  const reload = () => askReload(path('control.sock'), 60_000)

  async function ask(text: string | Buffer, count = 1): Promise<string[]> {
    const socket = connect(path('ask.sock'))
    let answers = ''
    socket.on('data', (chunk) => {
      answers += chunk.toString('latin1')
    })
    socket.on('error', () => {})
    socket.write(text)
    await until(`${count} answers came`, () => answers.split('\n').length > count || socket.destroyed)
    socket.destroy()
    return answers.split('\n').slice(0, -1)
  }
  const line = (
    fields: Partial<
      Record<'id' | 'stage' | 'src' | 'dst' | 'sni' | 'm' | 'url' | 'lang' | 'lp' | 'tag' | 'reply', string>
    >,
  ) => {
    const { id = '1', stage = 'REQ', src = '10.0.0.7', dst = '192.0.2.1', sni = '-', m = 'GET' } = fields
    const { url = 'http://casino.test/', lang = '-', lp = '3129', tag = '-' } = fields
    const reply = (fields.reply ?? '1.1 - - -').split(' ')
    return `${[id, stage, src, dst, '443', sni, m, url, '-', '-', lang, '-', lp, tag, ...reply].join(' ')} \n`
  }
  const askOne = async (fields: Parameters<typeof line>[0]): Promise<string> => (await ask(line(fields)))[0] ?? ''

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'portcullis-filterd-'))
    mkdirSync(path('categories'))
    blockPort = await freePort()
    write(policyOf(rule(1, {})))
    startGatewayd()
    filterd = spawn(
      process.execPath,
      [
        program,
        path('policy.json'),
        path('user-categories.txt'),
        path('dictionaries.json'),
        path('categories'),
        path('gateway.sock'),
        folder,
        '3129',
        '3130',
        String(blockPort),
        String(await freePort()),
      ],
      { stdio: ['ignore', 'inherit', 'pipe'] },
    )
    filterd.stderr?.resume()
    await until('it listens', () => statSync(path('ask.sock'), { throwIfNoEntry: false })?.isSocket() === true)
  })
  after(async () => {
    const ended = once(filterd, 'exit')
    filterd.kill('SIGTERM')
    assert.deepEqual(await ended, [0, null])
    await gatewayd.close()
    rmSync(folder, { recursive: true })
  })

  it('has sockets for the group and for root alone', async () => {
    await until('the helper may ask', () => (statSync(path('ask.sock')).mode & 0o777) === 0o660)
    assert.equal(statSync(path('control.sock')).mode & 0o777, 0o600)
  })

  it('answers each stage, with what the page and the log need', async () => {
    const denied = await askOne({ lang: 'ru,%20en;q=0.5' })
    assert.match(denied, /^1 OK v_REQ=deny page=ru rule=1 why=rule cat=users\.id\.1 /)
    assert.match(denied, / names="Forbidden &#34;&#60;sites&#62;&#34;" rule_name="rule 1"$/)
    assert.match(await askOne({ url: 'http://other.test/' }), /^1 OK v_REQ=allow why=default/)
    assert.match(
      await askOne({ stage: 'TLS', m: 'CONNECT', url: '192.0.2.1:443', sni: 'www.casino.test', lp: '3130' }),
      /^1 OK v_TLS=deny page=en clt_conn_tag=deny:1 rule=1 /,
    )
    assert.match(
      await askOne({ stage: 'TLS', m: 'CONNECT', url: '192.0.2.1:443', lp: '3130' }),
      /^1 OK v_TLS=splice clt_conn_tag=splice:- why=default/,
      'no name: judged by its address',
    )
    assert.match(await askOne({ m: 'CONNECT', url: 'casino.test:443', lp: '3128' }), /^1 OK v_REQ=deny /)
    assert.equal(await askOne({ m: 'CONNECT', url: '%5B::1%5D:443', lp: '3128' }), '1 OK v_REQ=allow')
    assert.match(await askOne({ url: 'https://other.test/', tag: 'deny:7' }), /^1 OK v_REQ=deny page=en rule=7 /)
    // A decrypted request that names another host than the hello did: the server behind is that of the hello.
    const lie = { url: 'https://other.test/', sni: 'www.casino.test', tag: 'bump:7', lp: '3130' }
    assert.match(await askOne(lie), /^1 OK v_REQ=deny page=en rule=1 /)
    assert.match(await askOne({ ...lie, sni: 'third.test' }), /^1 OK v_REQ=allow /)
    assert.deepEqual(await ask('0 PING\n'), ['0 PONG'])
    assert.match(await askOne({ id: '2147483647', url: 'http://other.test/' }), /^2147483647 OK v_REQ=allow /)
  })

  it('decides with new rules as soon as a reload is answered, and keeps the old ones where a file is bad', async () => {
    write(
      policyOf(
        rule(1, {}),
        rule(2, { categories: ['special.id.1'], access: 'redirect', redirectUrl: 'https://x.test/?a="b' }),
      ),
    )
    assert.equal(await reload(), null)
    assert.match(await askOne({ url: 'http://other.test/' }), / rule=2 why=rule .*loc=https:\/\/x\.test\/\?a=%2522b/)
    writeFileSync(path('policy.json'), '{"isEnabled":')
    assert.match((await reload()) ?? '', /^The policy cannot be used\. /)
    assert.match(await askOne({ url: 'http://other.test/' }), / rule=2 /)
    await until(
      'gatewayd knows',
      () => gatewayd.report()?.faults.some((one) => one.includes('earlier ones stay')) ?? false,
    )
    // A list that is compiled in another thread.
    write(
      policyOf(rule(3, {})),
      Array.from({ length: 20_000 }, (_, at) => `n${at}.test`),
    )
    assert.equal(await reload(), null)
    assert.match(await askOne({ url: 'http://www.n19999.test/x' }), / v_REQ=deny .* rule=3 /)
    await until('the fault is gone', () => gatewayd.report()?.faults.every((one) => !one.includes('earlier')) ?? false)
    assert.ok((gatewayd.report()?.asked ?? 0) > 0)
  })

  it('knows who signed in from the next request on, and after gatewayd was away', async () => {
    const members = { isAny: false, members: ['group.id.2'], addresses: [] }
    write(policyOf(rule(4, { sources: members, categories: ['special.id.1'] })))
    assert.equal(await reload(), null)
    assert.match(await askOne({}), / v_REQ=allow /)
    places = [['10.0.0.7', anna.id]]
    await gatewayd.follow()
    await until('the user is known', async () =>
      / v_REQ=deny .* user=anna uid=user\.id\.5 .*who="anna"/.test(await askOne({})),
    )
    await gatewayd.close()
    assert.match(await askOne({}), / v_REQ=deny /, 'the last table stays')
    places = [['10.0.1.0/24', anna.id]]
    startGatewayd()
    await until('the new table counts', async () => / v_REQ=allow /.test(await askOne({})))
    await until('the network is known', async () => / v_REQ=deny /.test(await askOne({ src: '10.0.1.200' })))
    places = []
    await until('the user has gone', async () => / v_REQ=allow /.test(await askOne({ src: '10.0.1.200' })))
  })

  it('answers 10,000 questions of one write, in order', async () => {
    const text = Array.from({ length: 10_000 }, (_, at) =>
      line({ id: String(at + 1), url: `http://h${at}.test/` }),
    ).join('')
    const answers = await ask(text, 10_000)
    assert.deepEqual(
      answers.map((answer) => answer.split(' ')[0]),
      Array.from({ length: 10_000 }, (_, at) => String(at + 1)),
    )
  })

  it('judges both names of a connection of the direct proxy', async () => {
    write(policyOf(rule(1, {})))
    assert.equal(await reload(), null)
    const verdict = async (url: string, sni: string, lp: string) =>
      / v_TLS=(\w+)/.exec(await askOne({ stage: 'TLS', m: 'CONNECT', url, sni, lp }))?.[1]
    assert.equal(await verdict('casino.test:443', 'other.test', '3128'), 'deny')
    assert.equal(await verdict('other.test:443', 'casino.test', '3128'), 'deny')
    assert.equal(await verdict('other.test:443', 'third.test', '3128'), 'splice')
    assert.equal(await verdict('192.0.2.1:443', 'other.test', '3130'), 'splice')
  })

  it('says when a page has to go in chunks: as the reply that it replaces would', async () => {
    write(policyOf(rule(1, {})))
    assert.equal(await reload(), null)
    const isChunked = async (reply: string, m = 'GET', stage = 'REP') =>
      / chunked=yes /.test(await askOne({ stage, m, reply }))
    assert.equal(await isChunked('1.1 200 - -'), true)
    assert.equal(await isChunked('1.1 200 - bytes=0-5'), true)
    for (const reply of ['1.1 200 17 -', '1.0 200 - -', '1.1 204 - -', '1.1 304 - -', '1.1 206 - bytes=0-1,4-5'])
      assert.equal(await isChunked(reply), false, reply)
    assert.equal(await isChunked('1.1 200 - -', 'HEAD'), false)
    assert.equal(await isChunked('1.1 - - -', 'GET', 'REQ'), false)
  })

  it('stays in one line whatever a client sends', async () => {
    write(policyOf(rule(6, { name: 'a"b\\c', categories: ['special.id.1'] })))
    assert.equal(await reload(), null)
    const hostile = [
      line({ url: `http://casino.test/${'%0a'.repeat(30)}"'\\` }),
      line({ url: `http://casino.test/${'a'.repeat(65_536)}` }),
      line({ stage: 'TLS', sni: `${'a'.repeat(255)}`, lp: '3130' }),
      line({ stage: 'TLS', sni: 'a%00b.test', lp: '3130' }),
      line({ stage: 'TLS', sni: '%FF%FE%C3%28', lp: '3130' }),
      line({ url: 'error:invalid-request' }),
      line({ url: '%00' }),
      line({ url: '-', m: '-' }),
      line({ lang: '%0d%0aX:%20y;q=;;,,ru;q=9,%FF', src: '::1' }),
      line({ src: 'not%20an%20address', tag: 'deny:%0a' }),
    ]
    for (const text of hostile) {
      const answers = await ask(text)
      assert.equal(answers.length, 1, text.slice(0, 80))
      assert.match(answers[0] ?? '', /^1 OK v_(?:REQ|TLS)=deny [!-~]+(?: [!-~]+| "[ -!#-~]*")*$/, text.slice(0, 80))
    }
    for (const text of ['1 REQ a b\n', '1 NEW - - - - - - - - - - - - -\n', '1 \n', '1\n'])
      assert.deepEqual(await ask(text), ['1 OK v_TLS=full v_REQ=full v_REP=full'], 'never what may pass')
    assert.equal((await ask(`\n\nno\n${line({ id: '5' })}`)).length, 1)
    assert.deepEqual(await ask(Buffer.alloc(3_000_000, 'x'), 1), [], 'a line without end ends the connection')
    assert.match(await askOne({}), / v_REQ=deny /)
  })
})

// Denied connections with a real Squid in a namespace, our settings, our decision process and our helper: the page comes under
// the gateway's authority for names and for address literals, and the server behind is never contacted.

import assert from 'node:assert/strict'
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { errorPages } from '../../src/domain/web-filter/block-page.ts'
import type { FilterRule } from '../../src/domain/web-filter/model.ts'
import { printDictionaries, printPolicy, printUserCategories } from '../../src/domain/web-filter/policy-file.ts'
import { fixedSettings } from '../../src/engines/web-filter/applyd/settings.ts'
import { makeRoot } from '../../src/shared/certificates/certificate-maker.ts'
import { removeNamespace } from '../support/namespaces.ts'
import { lacking } from '../support/requires.ts'
import { until } from '../support/until.ts'

const tag = `${process.pid}`
const [gateway, client] = [`blk-g-${tag}`, `blk-c-${tag}`]
const source = join(import.meta.dirname, '..', '..', 'src')
const certgen = '/usr/lib/squid/security_file_certgen'
const [liveAddress, deadAddress] = ['192.0.2.1', '192.0.2.7']

const rule = (id: number, category: string, more: Partial<FilterRule> = {}): FilterRule => ({
  id,
  name: `<i>rule</i> ${id}`,
  access: 'deny',
  redirectUrl: null,
  categories: [category],
  times: null,
  sources: { isAny: true, members: [], addresses: [] },
  methods: [],
  contentTypes: [],
  ...more,
})

interface Answer {
  readonly code: number
  readonly head: string
  readonly body: string
}

describe('denied connections', { skip: lacking('/usr/sbin/squid', certgen, '/usr/bin/curl', '/usr/sbin/nft') }, () => {
  let folder: string
  const running: ChildProcess[] = []
  const path = (name: string): string => join(folder, name)
  const ip = (...args: string[]): unknown => execFileSync('/usr/sbin/ip', args)
  const startIn = (namespace: string, command: readonly string[], output: 'pipe' | 'ignore' = 'ignore') => {
    const child = spawn('/usr/sbin/ip', ['netns', 'exec', namespace, ...command], {
      stdio: ['ignore', output, 'ignore'],
    })
    running.push(child)
    return child
  }
  let contacts = ''

  /** With `code` 0 where there is no answer; `head` has what curl says then. */
  const get = (...args: string[]): Promise<Answer> =>
    new Promise((resolve) => {
      const fixed = ['netns', 'exec', client, '/usr/bin/curl', '-sS', '-i', '-m', '60', '--cacert', path('ca.crt')]
      execFile('/usr/sbin/ip', [...fixed, ...args], { maxBuffer: 4_000_000 }, (_, stdout, stderr) => {
        // The answer of a proxy to CONNECT comes before that of the site.
        const text = stdout.replace(/^HTTP\/1\.1 200 Connection established\r\n\r\n/, '')
        const end = text.indexOf('\r\n\r\n')
        const code = Number(/^HTTP\/1\.1 ([0-9]{3})/.exec(text)?.[1] ?? 0)
        resolve({ code, head: code === 0 ? stderr : text.slice(0, end), body: text.slice(end + 4) })
      })
    })
  const at = (name: string, address: string): string[] =>
    ['443', '80'].flatMap((port) => ['--resolve', `${name}:${port}:${address}`])

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'portcullis-block-'))
    chmodSync(folder, 0o755)
    for (const name of ['errors', 'categories']) mkdirSync(path(name))
    for (const [name, text] of errorPages) writeFileSync(path(`errors/${name}`), text)
    const rules = [
      rule(1, 'users.id.1'),
      rule(2, 'users.id.2', { access: 'redirect', redirectUrl: 'https://x.test/?a=%0d%0aX-Evil:1&b=%2520,c#d' }),
    ]
    writeFileSync(
      path('policy.json'),
      printPolicy({
        isEnabled: true,
        usesExtended: true,
        safeSearch: false,
        morphology: false,
        onFailure: 'block',
        rules,
        names: { 'users.id.1': 'Bad <b>sites</b>', 'special.id.4': 'Direct access by IP address' },
      }),
    )
    const entries = ['casino.test', liveAddress, deadAddress]
    writeFileSync(
      path('user-categories.txt'),
      printUserCategories([
        { id: 'users.id.1', entries },
        { id: 'users.id.2', entries: ['redirect.test'] },
      ]),
    )
    writeFileSync(path('dictionaries.json'), printDictionaries([]))
    const root = await makeRoot([], new Date())
    writeFileSync(path('ca.crt'), root.certificate)
    writeFileSync(path('authority.pem'), root.certificate + root.key)
    writeFileSync(path('hosts'), `${deadAddress} casino.test redirect.test\n${liveAddress} nowhere.test\n`)
    const bumping = `ssl-bump tls-cert=${path('authority.pem')} generate-host-certificates=on dynamic_cert_mem_cache_size=4MB`
    const plan = [
      `http_port 3128 name=direct ${bumping}`,
      'http_port 3129 intercept name=http',
      `https_port 3130 intercept name=https ${bumping}`,
      'acl fails_open any-of !all',
      'acl logged any-of all',
      'acl strict_video any-of !all',
      'acl clients src 10.9.0.0/24',
      'acl own dst 10.9.0.1',
      `hosts_file ${path('hosts')}`,
    ]
    const fixed = fixedSettings({
      folder,
      errors: path('errors'),
      certificates: path('ssl_db'),
      askSocket: path('ask.sock'),
      helper: join(source, 'filterd', 'helper.pl'),
      authorities: [path('ca.crt')],
    })
    writeFileSync(path('squid.conf'), `${plan.join('\n')}\n${fixed}`)
    execFileSync(certgen, ['-c', '-s', path('ssl_db'), '-M', '4MB'])
    const [uid = 0, gid = 0] = ['-u', '-g'].map((option) => Number(execFileSync('/usr/bin/id', [option, 'proxy'])))
    execFileSync('/bin/chown', ['-R', `${uid}:${gid}`, path('ssl_db')])

    ip('netns', 'add', gateway)
    ip('netns', 'add', client)
    ip('-n', gateway, 'link', 'add', 'lan0', 'type', 'veth', 'peer', 'name', 'host0', 'netns', client)
    for (const [space, device, address] of [
      [gateway, 'lan0', '10.9.0.1/24'],
      [client, 'host0', '10.9.0.2/24'],
      [gateway, 'lo', `${liveAddress}/32`],
    ] as const) {
      ip('-n', space, 'addr', 'add', address, 'dev', device)
      ip('-n', space, 'link', 'set', device, 'up')
    }
    ip('-n', client, 'route', 'add', 'default', 'via', '10.9.0.1')
    const redirects = [80, 443].map((port, index) => `iifname "lan0" tcp dport ${port} redirect to :${3129 + index}`)
    const chain = ['type nat hook prerouting priority dstnat', ...redirects].join('\n')
    execFileSync('/usr/sbin/ip', ['netns', 'exec', gateway, '/usr/sbin/nft', '-f', '-'], {
      input: `table ip t {\nchain pre {\n${chain}\n}\n}\n`,
    })
    const origin = `require('node:net').createServer((s) => { console.log('contact'); s.destroy() }).listen(443, '${liveAddress}', () => console.log('listening'))`
    const server = startIn(gateway, [process.execPath, '-e', origin], 'pipe')
    server.stdout?.on('data', (chunk: Buffer) => {
      contacts += chunk.toString()
    })
    await until('the server listens', () => contacts.includes('listening'))
    startIn(gateway, [
      process.execPath,
      join(source, 'filterd', 'main.ts'),
      path('policy.json'),
      path('user-categories.txt'),
      path('dictionaries.json'),
      path('categories'),
      path('gateway.sock'),
      folder,
      '3129',
      '3130',
      '3131',
      '3132',
    ])
    await until(
      'filterd listens',
      () => (statSync(path('ask.sock'), { throwIfNoEntry: false })?.mode ?? 0) % 0o1000 === 0o660,
    )
    chownSync(path('ask.sock'), uid, gid)
    startIn(gateway, ['/usr/sbin/squid', '-d', '1', '-n', `blk${tag}`, '-N', '-f', path('squid.conf')])
    await until('Squid answers', async () => (await get('http://10.9.0.1:3128/')).code > 0)
  })
  after(async () => {
    for (const child of running) child.kill('SIGKILL')
    for (const space of [gateway, client]) removeNamespace(space)
    rmSync(folder, { recursive: true })
  })

  it('get the page with a certificate for their name or their address, without contact with the server', async () => {
    for (const url of ['https://casino.test/a?b', `https://${liveAddress}/`, `https://${deadAddress}/x`]) {
      const { code, head, body } = await get(...at('casino.test', liveAddress), url)
      assert.equal(code, 403, `${url}: ${head}`)
      assert.match(
        body,
        /<h1>This site is blocked<\/h1>.*Bad &#60;b&#62;sites.*&#60;i&#62;rule&#60;\/i&#62; 1|&#60;&#47;i&#62;/s,
      )
    }
    const dead = await get('-H', 'Accept-Language: ru', ...at('casino.test', deadAddress), 'https://casino.test/')
    assert.equal(dead.code, 403)
    assert.match(dead.body, /<html lang="ru">.*<h1>Сайт заблокирован<\/h1>/s)
    assert.equal(contacts, 'listening\n')
  })

  it('get it through the direct proxy too', async () => {
    for (const url of ['https://casino.test/', `https://${deadAddress}/`]) {
      const { code, head } = await get('-x', 'http://10.9.0.1:3128', url)
      assert.equal(code, 403, `${url}: ${head}`)
    }
    assert.equal(contacts, 'listening\n')
  })

  it('show nothing of the program behind, and nothing of the client as markup', async () => {
    const { code, head, body } = await get(
      ...at('casino.test', deadAddress),
      'http://casino.test/"><script>alert(1)</script>',
    )
    assert.equal(code, 403)
    assert.doesNotMatch(`${head}${body}`, /squid|x-cache|^via:/im)
    assert.doesNotMatch(body, /<script/)
    assert.match(body, /default-src &#39;none&#39;|default-src 'none'/)
    const failed = await get(...at('nowhere.test', liveAddress), 'http://nowhere.test/')
    assert.equal(failed.code, 503)
    assert.doesNotMatch(`${failed.head}${failed.body}`, /squid/i)
  })

  it('are led elsewhere with exactly the address of the rule', async () => {
    const { code, head } = await get(...at('redirect.test', deadAddress), 'http://redirect.test/')
    assert.equal(code, 302)
    assert.match(head, /^location: https:\/\/x\.test\/\?a=%0d%0aX-Evil:1&b=%2520,c#d\r?$/im)
    assert.doesNotMatch(head, /^x-evil/im)
  })

  it('outlive hostile requests', async () => {
    const long = await get(...at('casino.test', deadAddress), `http://casino.test/${'a'.repeat(8_000)}`)
    assert.equal(long.code, 403)
    const longer = await get(...at('casino.test', deadAddress), `http://casino.test/${'a'.repeat(60_000)}`)
    assert.equal(longer.code, 400, 'Squid takes 8 KB')
    assert.doesNotMatch(`${longer.head}${longer.body}`, /squid/i)
    const name = `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(50)}.test`
    await get(...at(name, deadAddress), '-m', '5', `https://${name}/`)
    const odd = await get(
      ...at('casino.test', deadAddress),
      '-H',
      'Accept-Language: ru"\\;q=x,%0d%0a',
      'http://casino.test/%0d%0aX:%20y',
    )
    assert.equal(odd.code, 403)
    assert.doesNotMatch(odd.head, /^x:/im)
    assert.equal((await get(...at('casino.test', deadAddress), 'https://casino.test/')).code, 403)
  })
})

// A lab for tests of the content filter: web sites with their own names and certificates in its internet, clients that ask for
// them, and the switches of the filter.

import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { issueServer, makeRoot } from '../../src/shared/certificates/certificate-maker.ts'
import { appRoot, runtimePath } from '../../src/tools/launcher/layout.ts'
import type { ApiClient } from './api-client.ts'
import type { LabGateway } from './lab-gateway.ts'
import { until } from './until.ts'
import { UserLab } from './user-lab.ts'

/** All names of `sites.test` are here; the second address has no name. */
export const siteAddress = '198.51.100.30'
export const namelessAddress = '198.51.100.31'
const control = `http://${siteAddress}:9000`

export const sites = {
  /** Their certificates are not good. */
  expired: 'expired.sites.test',
  selfSigned: 'self-signed.sites.test',
  wrongName: 'wrong-name.sites.test',
} as const

export interface SeenRequest {
  readonly host: string
  readonly method: string
  readonly path: string
  readonly version: string
  readonly tls: boolean
  readonly client: string
  readonly headers: Readonly<Record<string, unknown>>
  readonly bytes: number
}

/** What the sites saw. */
export interface Seen {
  readonly requests: readonly SeenRequest[]
  /** Server names of the TLS connections that reached them. */
  readonly names: readonly string[]
  readonly waiting: number
}

export interface Answer {
  /** Of curl; 0 when an answer came. */
  readonly code: number | null
  /** 0 without an answer. */
  readonly status: number
  readonly version: string
  readonly location: string
  readonly headers: string
  readonly body: string
  readonly fault: string
}

export interface AskOptions {
  /** Which authorities the client trusts: those of the sites and that of the gateway unless given. */
  readonly trusts?: 'both' | 'sites' | 'gateway'
  readonly args?: readonly string[]
  /** Put before the command: another host of the client's namespace. */
  readonly enter?: readonly string[]
}

export interface NewRule {
  readonly name?: string
  readonly categories: readonly string[]
  readonly access: 'allow' | 'deny' | 'bump' | 'redirect'
  readonly aliases?: readonly string[]
  readonly redirect_url?: string
  readonly http_methods?: readonly string[]
  readonly content_types?: readonly string[]
  readonly timetable?: readonly string[]
}

export class WebLab {
  readonly users: UserLab
  /** With the authorities as files, for clients. */
  readonly folder: string

  private constructor(users: UserLab, folder: string) {
    this.users = users
    this.folder = folder
  }

  /** The sites answer and everyone is allowed; the filter is off. `program` is what the sites are, of this folder. */
  static async start(program = 'web-origin.ts'): Promise<WebLab> {
    const users = await UserLab.start()
    const folder = mkdtempSync(join(tmpdir(), 'portcullis-sites-'))
    chmodSync(folder, 0o755)
    const lab = new WebLab(users, folder)
    await lab.#makeSites(program)
    return lab
  }

  get gateway(): LabGateway {
    return this.users.gateway
  }
  get api(): ApiClient {
    return this.users.api
  }

  async stop(): Promise<void> {
    await this.users.stop()
    rmSync(this.folder, { recursive: true, force: true })
  }

  async #makeSites(site: string): Promise<void> {
    const now = new Date()
    const names = ['sites.test', 'category.example', 'example.test', 'google.com', 'youtube.com']
    const root = await makeRoot(names, now)
    const other = await makeRoot(names, now)
    const issue = (name: string, from = root, at = now) => issueServer(from, [name], at)
    const past = new Date(now.getTime() - 3 * 365 * 24 * 3600 * 1000)
    const pairs = {
      '*': await issueServer(
        root,
        [
          'sites.test',
          '*.sites.test',
          '*.category.example',
          siteAddress,
          namelessAddress,
          'www.google.com',
          'www.youtube.com',
        ],
        now,
      ),
      [sites.expired]: await issue(sites.expired, root, past),
      [sites.selfSigned]: await issue(sites.selfSigned, other),
      [sites.wrongName]: await issue('someone-else.sites.test'),
    }
    writeFileSync(join(this.folder, 'pairs.json'), JSON.stringify(pairs))
    writeFileSync(join(this.folder, 'sites.pem'), root.certificate)
    // The proxy of the lab trusts this file beside the authorities of the machine.
    writeFileSync(join(this.gateway.stateDir, 'web-proxy', 'lab-authorities.pem'), root.certificate, { mode: 0o644 })
    const hosts = [siteAddress, namelessAddress]
    await this.users.wire.addAddresses(
      'internet',
      'lo',
      hosts.map((address) => `${address}/32`),
    )
    const program = [runtimePath(appRoot), join(appRoot, 'server/test/support', site)]
    const running = this.gateway.exec('internet', [...program, join(this.folder, 'pairs.json'), ...hosts], {
      timeoutMs: 3_600_000,
    })
    void running.catch(() => {})
    await until('the sites answer', async () => (await this.#control('')).code === 0)
  }

  async #control(path: string) {
    return this.gateway.exec('internet', ['/usr/bin/curl', '-s', '-m', '20', `${control}/${path}`])
  }

  /** Other sites tell other things. */
  async seen<T = Seen>(): Promise<T> {
    return JSON.parse((await this.#control('')).stdout) as T
  }

  async forget(): Promise<void> {
    await this.#control('forget')
  }

  /** Replies of `/held` go on. */
  async release(): Promise<void> {
    await this.#control('release')
  }

  /** Switches the filter on, and waits until it decides; the authority of the gateway is then known to clients. */
  async filter(isOn: boolean): Promise<void> {
    await this.api.ok('PATCH', '/content-filter/state', { enabled: isOn })
    if (!isOn) return
    await this.isActive()
    const { certificate } = (await this.api.ok('GET', '/proxy_backend/certificate')) as { certificate: string }
    writeFileSync(join(this.folder, 'gateway.pem'), certificate)
    const both = this.gateway.exec('client', ['/usr/bin/cat', join(this.folder, 'sites.pem')])
    writeFileSync(join(this.folder, 'both.pem'), `${(await both).stdout}\n${certificate}`)
  }

  isActive(): Promise<void> {
    return until('the content filter is active', async () => {
      const items = (await this.api.ok('GET', '/content-filter/status')) as { name: string; status: string }[]
      return items.every(({ name, status }) => name !== 'content-filter' || status === 'active')
    })
  }

  /** Resolves when a client gets an answer, whatever it is. */
  answers(): Promise<void> {
    return until('a client gets an answer', async () => (await this.statusOf('http://any.sites.test/')) > 0)
  }

  /** At the end of the table. */
  async addRule(rule: NewRule): Promise<number> {
    const { id } = (await this.api.ok('POST', '/content-filter/rules', bodyOf(rule))) as { id: number }
    return id
  }

  async clearRules(): Promise<void> {
    await this.setRules()
  }

  /** These and no others, in one change; their ids. */
  async setRules(...rules: readonly NewRule[]): Promise<readonly number[]> {
    const old = (await this.api.ok('GET', '/content-filter/rules')) as { id: number }[]
    const calls = [
      ...old.map(({ id }) => ({ method: 'DELETE', path: `/content-filter/rules/${id}` })),
      ...rules.map((rule) => ({ method: 'POST', path: '/content-filter/rules', body: bodyOf(rule) })),
    ]
    if (calls.length === 0) return []
    const { replies } = (await this.api.ok('POST', '/config/changes', { calls })) as { replies: { id: number }[] }
    return replies.slice(old.length).map(({ id }) => id)
  }

  async addCategory(name: string, urls: readonly string[]): Promise<string> {
    const { id } = (await this.api.ok('POST', '/content-filter/users_categories', { name, comment: '', urls })) as {
      id: string
    }
    return id
  }

  /** Asks as a client does; certificates are checked. */
  async ask(url: string, { trusts = 'both', args = [], enter = [] }: AskOptions = {}): Promise<Answer> {
    const mark = '\u0001'
    const { code, stdout, stderr } = await this.gateway.exec('client', [
      ...enter,
      '/usr/bin/curl',
      '-sS',
      '-m',
      '60',
      '-i',
      '--cacert',
      join(this.folder, `${trusts}.pem`),
      '-w',
      `${mark}%{http_code}${mark}%{http_version}${mark}%{redirect_url}`,
      ...args,
      url,
    ])
    const [text = '', status = '0', version = '', location = ''] = stdout.split(mark)
    const end = text.lastIndexOf('\r\n\r\n')
    return {
      code,
      status: Number(status),
      version,
      location,
      headers: end < 0 ? text : text.slice(0, end),
      body: end < 0 ? '' : text.slice(end + 4),
      fault: stderr,
    }
  }

  /** The status alone, 0 where no answer came. */
  async statusOf(url: string, options: AskOptions = {}): Promise<number> {
    return (await this.ask(url, options)).status
  }

  /** Fails with what came instead. */
  async expectStatus(url: string, status: number, options: AskOptions = {}): Promise<Answer> {
    const answer = await this.ask(url, options)
    assert.equal(
      answer.status,
      status,
      `${url}: ${answer.status} ${answer.fault}\n${answer.headers}\n${answer.body.slice(0, 400)}`,
    )
    return answer
  }
}

const bodyOf = (rule: NewRule): object => ({
  name: rule.name ?? `${rule.access} ${rule.categories.join(' ')}`,
  aliases: ['any'],
  ...rule,
})

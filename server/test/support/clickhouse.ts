// A log server for tests: ClickHouse of the distribution on a port of loopback, with everything it writes in one folder.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { LogServerSettings } from '../../src/gatewayd/logs/server-store/settings.ts'
import { lacking } from './requires.ts'
import { until } from './until.ts'

export const clickhouseProgram = '/usr/sbin/clickhouse-server'

/**
 * For `skip`: releases of Debian after 12 have no such package, so there not even a test as root can have it. Asked by tests
 * alone: the bench uses this file too, on machines that have never run one.
 */
export const withoutLogServer = (): string | false =>
  !existsSync(clickhouseProgram) && releaseOfDebian() > 12
    ? 'this release of Debian has no clickhouse-server'
    : lacking(clickhouseProgram)

function releaseOfDebian(): number {
  const [, release] = /^VERSION_ID="?(\d+)/m.exec(readFileSync('/etc/os-release', 'utf8')) ?? []
  return Number(release ?? 0)
}

const password = 'a "password" of <tests>'

const asXml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

export class Clickhouse {
  readonly #folder: string
  readonly #port: number
  #process: ChildProcess | null = null

  private constructor(folder: string, port: number) {
    this.#folder = folder
    this.#port = port
  }

  /** The folder may be removed when the server is closed. */
  static async start(folder: string): Promise<Clickhouse> {
    const server = new Clickhouse(folder, await freePort())
    server.#writeConfiguration()
    await server.start()
    return server
  }

  get pid(): number {
    return this.#process?.pid ?? 0
  }

  settings(gateway = 'gate-1'): LogServerSettings {
    const url = new URL(`http://127.0.0.1:${this.#port}/`)
    return { url, database: 'portcullis', user: 'default', password, ca: null, gateway }
  }

  async start(): Promise<void> {
    const output = openSync(join(this.#folder, 'output'), 'a')
    const started = spawn(clickhouseProgram, [`--config-file=${join(this.#folder, 'config.xml')}`], {
      stdio: ['ignore', output, output],
    })
    closeSync(output)
    this.#process = started
    await until('the log server answers', async () => {
      if (started.exitCode !== null) throw new Error(readFileSync(join(this.#folder, 'output'), 'utf8').slice(-2_000))
      return this.#answers()
    })
  }

  signal(name: 'SIGSTOP' | 'SIGCONT'): void {
    this.#process?.kill(name)
  }

  async kill(): Promise<void> {
    const stopped = this.#process
    this.#process = null
    if (!stopped || stopped.exitCode !== null) return
    stopped.kill('SIGKILL')
    await once(stopped, 'exit')
  }

  async close(): Promise<void> {
    await this.kill()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  async ask(query: string): Promise<string> {
    const { user } = this.settings()
    const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
    const reply = await fetch(this.settings().url, { method: 'POST', body: query, headers: { authorization } })
    const text = await reply.text()
    if (!reply.ok) throw new Error(text)
    return text.trim()
  }

  async #answers(): Promise<boolean> {
    return this.ask('SELECT 1').then(
      (text) => text === '1',
      () => false,
    )
  }

  #writeConfiguration(): void {
    const path = (name: string): string => {
      mkdirSync(join(this.#folder, name), { recursive: true })
      return `${join(this.#folder, name)}/`
    }
    writeFileSync(
      join(this.#folder, 'config.xml'),
      `<yandex>
        <logger><level>warning</level><console>1</console></logger>
        <http_port>${this.#port}</http_port><listen_host>127.0.0.1</listen_host>
        <path>${path('data')}</path><tmp_path>${path('tmp')}</tmp_path>
        <user_files_path>${path('files')}</user_files_path><format_schema_path>${path('schemas')}</format_schema_path>
        <users_config>${join(this.#folder, 'users.xml')}</users_config>
        <default_profile>default</default_profile><default_database>default</default_database>
        <mark_cache_size>268435456</mark_cache_size>
      </yandex>`,
    )
    writeFileSync(
      join(this.#folder, 'users.xml'),
      `<yandex><profiles><default/></profiles><quotas><default/></quotas><users><default>
        <password>${asXml(password)}</password><networks><ip>127.0.0.1</ip></networks>
        <profile>default</profile><quota>default</quota>
      </default></users></yandex>`,
    )
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  await once(probe, 'close')
  return port
}

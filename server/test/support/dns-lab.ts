// A lab for tests of DNS: the gateway, its interface and what these tests share.

import assert from 'node:assert/strict'
import { ApiClient } from './api-client.ts'
import { addressesIn, dig, type Question } from './dig.ts'
import { type LabGateway, startGateway } from './lab-gateway.ts'
import { lacking } from './requires.ts'
import { until } from './until.ts'

const password = 'correct horse 9'

/** Why the tests cannot run here. */
export const dnsSkip = lacking('/usr/sbin/unbound', '/usr/bin/dig', '/usr/sbin/dnsmasq', '/usr/bin/ldns-signzone')

export interface Item {
  readonly name: string
  readonly status: string
  readonly msg: readonly string[]
}

export class DnsLab {
  readonly gateway: LabGateway
  readonly api: ApiClient

  private constructor(gateway: LabGateway) {
    this.gateway = gateway
    this.api = new ApiClient(gateway.address)
  }

  static async start(): Promise<DnsLab> {
    const lab = new DnsLab(await startGateway({ adminPassword: password }))
    await lab.signIn()
    try {
      await until('DNS answers', async () => (await lab.ask('localhost')).status === 'NOERROR')
    } catch (error) {
      await lab.stop()
      throw error
    }
    return lab
  }

  signIn = (): Promise<void> => this.api.signIn('admin', password)

  async stop(): Promise<void> {
    this.api.close()
    await this.gateway.stop()
  }

  ask = (name: string, question: Question = {}) => dig(this.gateway, name, question)
  addresses = async (name: string, question: Question = {}) => addressesIn(await this.ask(name, question))

  /** The body of a call that must succeed. */
  async ok(method: string, path: string, body?: unknown) {
    const answer = await this.api.call(method, path, body)
    assert.equal(answer.status, 200, `${method} ${path}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }

  async add(path: string, body: unknown): Promise<string> {
    return `${(await this.ok('POST', path, body)).id}`
  }

  async item(name: string): Promise<Item> {
    const items = (await this.ok('GET', '/dns/status')) as Item[]
    return items.find((item) => item.name === name) ?? assert.fail(`no status item ${name}`)
  }

  /** The process of the gateway's DNS server; null while it does not run. */
  async serverPid(): Promise<number | null> {
    const { stdout } = await this.gateway.exec('gateway', [
      '/usr/bin/pgrep',
      '-f',
      '^/usr/sbin/unbound .*unbound/unbound.conf',
    ])
    return stdout.trim() === '' ? null : Number(stdout.trim().split('\n')[0])
  }
}

let count = 0
/** A name that was not looked up before. */
export const freshName = (zone: string): string => `n${process.pid}-${count++}.${zone}`

export const zoneText = (records: readonly string[], serial = 1): string =>
  ['$TTL 300', `@ SOA ns1 root ( ${serial} 3600 600 86400 60 )`, '@ NS ns1', 'ns1 A 10.10.0.1', ...records, ''].join(
    '\n',
  )

// A lab for tests of users on the network: users, rules and sessions through the API, sign-ins as the portal makes them, and
// what the kernel has of them.

import assert from 'node:assert/strict'
import { memberSetOf } from '../../src/core/plan/live-sets.ts'
import type { ApiClient } from './api-client.ts'
import { password as adminPassword, type FirewallLab, server, startFirewallLab } from './firewall-lab.ts'
import type { LabGateway } from './lab-gateway.ts'
import { type Card, type LabHost, LabHosts } from './lab-hosts.ts'
import { PortalClient } from './portal-client.ts'
import { until } from './until.ts'
import type { Ending, Wire } from './wire.ts'

export { adminPassword, server }

export const userPassword = 'Quiet-Harbour-7'

/** A session as the monitor shows it. */
export interface ShownSession {
  readonly id: string
  readonly user_id: number
  readonly login: string
  readonly type: string
  /** The network, for a session of one. */
  readonly ip: string
  readonly mac: string | null
  readonly state: string
}

export interface RuleFields {
  readonly ip?: string | null
  readonly mac?: string | null
  readonly user_id: number
  readonly always_logged?: boolean
}

export const passed: readonly Ending[] = ['passed', 'passed']
/** A reset for TCP, "administratively prohibited" for the rest. */
export const refused: readonly Ending[] = ['refused', 'unreachable']

export class UserLab {
  readonly firewall: FirewallLab
  readonly hosts: LabHosts
  #portal: PortalClient | null = null
  #count = 0

  private constructor(firewall: FirewallLab) {
    this.firewall = firewall
    this.hosts = new LabHosts(firewall.gateway, firewall.api)
  }

  static start = async (): Promise<UserLab> => new UserLab(await startFirewallLab())

  get gateway(): LabGateway {
    return this.firewall.gateway
  }
  get api(): ApiClient {
    return this.firewall.api
  }
  get wire(): Wire {
    return this.firewall.wire
  }

  async stop(): Promise<void> {
    this.#portal?.close()
    await this.firewall.stop()
  }

  /** Everything ends, and the next one starts on the same state. Hosts that tests made are gone. */
  async restart(): Promise<UserLab> {
    this.#portal?.close()
    return new UserLab(await this.firewall.restart())
  }

  /** Authorization decides from here on, or everyone is allowed. */
  async enforce(isEnforced: boolean, fields: object = {}): Promise<void> {
    await this.api.ok('PATCH', '/auth/settings', { allow_internet_to_everyone: !isEnforced, ...fields })
  }

  /** Each with another login, unless one is given. */
  async addUser(fields: { readonly login?: string; readonly name?: string; readonly parent_id?: string } = {}) {
    this.#count++
    const login = fields.login ?? `user${this.#count}`
    const body = { name: login, parent_id: 'group.id.1', comment: '', psw: userPassword, ...fields, login }
    const { id } = (await this.api.ok('POST', '/user_backend/users', body)) as { id: number }
    return { id, login, alias: `user.id.${id}` }
  }

  async addGroup(name: string, parent_id = 'group.id.1'): Promise<string> {
    const { id } = (await this.api.ok('POST', '/user_backend/groups', { name, parent_id })) as { id: number }
    return `group.id.${id}`
  }

  /** The option "deny access" of a user. */
  async deny(id: number, isDenied: boolean): Promise<void> {
    const users = (await this.api.ok('GET', '/user_backend/users')) as { id: string }[]
    const found = users.find((user) => user.id === `user.id.${id}`)
    assert.ok(found, `no user ${id}`)
    const { id: _id, ...fields } = found
    await this.api.ok('PUT', `/user_backend/users/${id}`, { ...fields, enabled: isDenied })
  }

  async addRule(fields: RuleFields): Promise<string> {
    const rule = { enabled: true, ip: null, mac: null, always_logged: false, comment: '', ...fields }
    return ((await this.api.ok('POST', '/auth/rules', rule)) as { id: string }).id
  }

  async removeRule(id: string): Promise<void> {
    await this.api.ok('DELETE', `/auth/rules/${id}`)
  }

  sessions = async (): Promise<readonly ShownSession[]> => this.api.ok('GET', '/monitor_backend/auth_sessions')

  async sessionAt(address: string): Promise<ShownSession | undefined> {
    return (await this.sessions()).find(({ ip }) => ip === address)
  }

  /** Waits for it. */
  async sessionOf(address: string): Promise<ShownSession> {
    let found: ShownSession | undefined
    await until(`there is a session at ${address}`, async () => {
      found = await this.sessionAt(address)
      return found !== undefined
    })
    return found ?? assert.fail()
  }

  async endSession(id: string): Promise<void> {
    await this.api.ok('DELETE', `/monitor_backend/auth_sessions/${id}`)
  }

  /** No page: what the portal would ask of gatewayd. */
  async portal(): Promise<PortalClient> {
    this.#portal ??= await PortalClient.open(this.gateway.stateDir)
    return this.#portal
  }

  /** After gatewayd has ended. */
  forgetPortal(): void {
    this.#portal?.close()
    this.#portal = null
  }

  async signIn(address: string, login: string, password = userPassword): Promise<void> {
    const result = await (await this.portal()).signIn(address, login, password)
    assert.equal(result.status, 'signed_in', JSON.stringify(result))
  }

  async signOut(address: string): Promise<void> {
    await (await this.portal()).call('signOut', { address, token: null })
  }

  /** What the kernel has in a set, as it prints it; null when there is no such set. */
  async elements(set: string): Promise<string | null> {
    const { code, stdout } = await this.nft('list', 'set', 'inet', 'portcullis', set)
    return code === 0 ? (/elements = \{([^}]*)\}/.exec(stdout)?.[1] ?? '') : null
  }

  async isMember(id: string, address: string): Promise<boolean> {
    return holds(await this.elements(memberSetOf(id)), address)
  }

  nft(...args: readonly string[]) {
    return this.gateway.exec('gateway', ['/usr/sbin/nft', ...args])
  }

  /** How TCP and UDP to the server in the internet end. */
  ends(host: LabHost, attempt: Partial<Parameters<Wire['ends']>[0]> = {}): ReturnType<Wire['ends']> {
    return host.wire(server).ends({ port: 8001, ...attempt })
  }

  beside(last: number, fields: Partial<Card> = {}): Promise<LabHost> {
    return this.hosts.beside({ address: `10.10.0.${last}/24`, mac: macOf(last), ...fields })
  }
}

export const macOf = (last: number): string => `02:00:00:00:00:${last.toString(16).padStart(2, '0')}`

/** Is the address an element, or the first part of one? */
export const holds = (elements: string | null, address: string): boolean =>
  new RegExp(`(?:^|[\\s,])${address.replaceAll('.', '\\.')}(?=[\\s,]|$)`).test(elements ?? '')

// The keeper of sessions of users around the fake applier, with a configuration that the test writes and a clock it moves.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { authorizationRules, settings } from '../../src/areas/authorization/config.ts'
import type { AuthorizationRule } from '../../src/areas/authorization/contract.ts'
import { createKnownHosts } from '../../src/areas/authorization/known-hosts.ts'
import { SessionKeeper } from '../../src/areas/authorization/runs/keeper.ts'
import type { SessionEvent } from '../../src/areas/authorization/runs/session-lines.ts'
import { SessionRows } from '../../src/areas/authorization/runs/session-rows.ts'
import { groups, type StoredUser, userId, users } from '../../src/areas/users/config.ts'
import type { Group } from '../../src/areas/users/contract.ts'
import { Database } from '../../src/core/database/database.ts'
import { type Config, read, write } from '../../src/core/model/slots.ts'
import type { LiveElement, NftPiece, Plan } from '../../src/core/plan/artifacts.ts'
import { createLiveSetFinder } from '../../src/core/plan/declared-live-sets.ts'
import { liveSets, memberSetOf } from '../../src/core/plan/live-sets.ts'
import { FakeApplier } from './fake-applier.ts'
import { FakeClock } from './test-gateway.ts'

const piece = (name: string): NftPiece => ({
  kind: 'set',
  name,
  head: 'type ipv4_addr; flags dynamic,timeout;',
  parts: [],
  origin: '',
  hash: name,
})

/** A plan whose only table has the live sets of authorization and those of these members. */
export const planWith = (revision: number, members: readonly string[], hasStage = true): Plan => ({
  revision,
  artifacts: [
    {
      kind: 'nft',
      name: 'inet portcullis',
      pieces: [...(hasStage ? Object.keys(liveSets) : []), ...members.map(memberSetOf)].map(piece),
    },
  ],
})

export const sampleUser = (number: number, fields: Partial<StoredUser> = {}): StoredUser => ({
  id: userId(number),
  name: `User ${number}`,
  login: `user${number}`,
  parent_id: 'group.id.1',
  phone_number: null,
  comment: '',
  enabled: false,
  domain_type: 'local',
  domain_name: '',
  ldap_guid: '',
  password_hash: { sealed: `hash ${number}` },
  ...fields,
})

export const sampleRule = (id: string, fields: Partial<AuthorizationRule>): AuthorizationRule => ({
  id,
  enabled: true,
  ip: null,
  mac: null,
  user_id: 1,
  always_logged: false,
  comment: '',
  ...fields,
})

export const sampleGroup = (number: number, parent_id = 'group.id.1'): Group => ({
  id: `group.id.${number}`,
  name: `Group ${number}`,
  parent_id,
  domain_type: 'local',
  domain_name: '',
  ldap_guid: '',
})

/** As the kernel notes it. */
export const host = (address: string, mac = '02:00:00:00:00:ff'): LiveElement => ({
  address,
  mac,
  device: 'lan0',
  seconds: null,
})

export const neighbours = (...known: (readonly [address: string, mac: string])[]): string =>
  JSON.stringify(known.map(([dst, lladdr]) => ({ dst, dev: 'lan0', lladdr, state: ['REACHABLE'] })))

export class SessionLab {
  readonly applier = new FakeApplier()
  readonly clock = new FakeClock()
  readonly folder = mkdtempSync(join(tmpdir(), 'sessions-'))
  database = new Database(join(this.folder, 'gateway.db'))
  config: Config = {}
  readonly events: SessionEvent[] = []
  readonly faults: unknown[] = []
  rows: SessionRows
  keeper: SessionKeeper
  #revision = 1

  constructor(config: Config = {}, members: readonly string[] = []) {
    this.config = config
    this.applier.applied = planWith(this.#revision, members)
    this.rows = new SessionRows(this.database, this.clock.boot)
    this.keeper = this.#open()
  }

  #open(): SessionKeeper {
    const find = createLiveSetFinder()
    return new SessionKeeper({
      rows: this.rows,
      applier: this.applier,
      known: createKnownHosts(() => this.config),
      liveSets: () => find(this.applier.applied?.artifacts ?? []),
      clock: this.clock,
      journal: { write: (events) => this.events.push(...events) },
      onFault: (error) => this.faults.push(error),
    })
  }

  /** The process is gone without a word, and another one opens what the disk has. */
  kill(): void {
    this.database.close()
    this.database = new Database(join(this.folder, 'gateway.db'))
    this.rows = new SessionRows(this.database, this.clock.boot)
    this.keeper = this.#open()
  }

  async change(edit: (config: Config) => Config, members?: readonly string[], hasStage = true): Promise<void> {
    this.config = edit(this.config)
    if (members) this.applier.applied = planWith(++this.#revision, members, hasStage)
    this.keeper.noteSets()
    await this.keeper.followConfiguration()
  }

  updateUser(number: number, fields: Partial<StoredUser>): Promise<void> {
    const id = userId(number)
    return this.change((config) =>
      write(
        config,
        users,
        read(config, users).map((user) => (user.id === id ? { ...user, ...fields } : user)),
      ),
    )
  }

  updateRule(id: string, fields: Partial<AuthorizationRule>): Promise<void> {
    return this.change((config) =>
      write(
        config,
        authorizationRules,
        read(config, authorizationRules).map((rule) => (rule.id === id ? { ...rule, ...fields } : rule)),
      ),
    )
  }

  /** A packet of the host passes: the kernel notes what its rules say, and gatewayd is called. */
  async arrive(set: 'auth_hosts' | 'auth_pairs' | 'auth_net_hosts', element: LiveElement): Promise<void> {
    this.let(set, element)
    // The kernel notes every host with its card.
    const seen = { ...element, mac: element.mac ?? '02:00:00:00:00:ff' }
    await this.keeper.takeArrivals({ epoch: this.applier.liveEpoch, authorized: [seen], unknown: [] })
  }

  /** An element that the kernel added by itself. */
  let(set: string, { address, mac }: LiveElement, seconds = 900): void {
    const elements = this.applier.live.get(set) ?? new Map<string, LiveElement>()
    const card = set === 'auth_pairs' ? mac : null
    elements.set(`${address} ${card} null`, { address, mac: card, device: null, seconds })
    this.applier.live.set(set, elements)
  }

  elements(set: string): string[] {
    return [...(this.applier.live.get(set)?.keys() ?? [])].map((key) => key.replaceAll(' null', '')).sort()
  }

  /** Addresses, kinds and states of the sessions. */
  shown(): string[] {
    return this.keeper
      .list()
      .map(({ userId: id, type, address, state }) => `${id} ${type} ${address} ${state}`)
      .sort()
  }

  cutHosts(): string[] {
    return this.applier.cuts.splice(0).map((target) => ('host' in target ? target.host : 'connection'))
  }

  storedRows(): number {
    return Number(this.database.prepare('SELECT count(*) AS count FROM user_sessions').get()?.count)
  }

  async close(): Promise<void> {
    await this.keeper.stop()
    this.database.close()
    rmSync(this.folder, { recursive: true })
  }
}

export const configOf = (parts: {
  readonly users?: readonly StoredUser[]
  readonly groups?: readonly Group[]
  readonly rules?: readonly AuthorizationRule[]
}): Config => {
  const withUsers = write(write({}, users, parts.users ?? []), groups, parts.groups ?? [])
  return write(write(withUsers, authorizationRules, parts.rules ?? []), settings, {
    ...settings.initial,
    allow_internet_to_everyone: false,
  })
}

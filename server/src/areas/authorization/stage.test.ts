// What stored rules and settings of authorization mean for the firewall, and whose address is whose.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Config, write } from '../../core/model/slots.ts'
import { printSpan } from '../../shared/net/ipv4.ts'
import { pairsOf } from '../../shared/net/ranges.ts'
import { type StoredUser, users } from '../users/config.ts'
import { authorizationRules, settings } from './config.ts'
import type { AuthorizationRule } from './contract.ts'
import { userAddresses } from './resolve.ts'
import { authorizationStage } from './stage.ts'

const side = { local: [{ device: 'lan0', address: 1 }], near: [1, 1] }
const context = { side, namesMembers: false, notesUnknown: false }
const card = '02:00:00:00:00:01'

const user = (number: number, enabled = false): StoredUser => ({
  id: `user.id.${number}`,
  name: `User ${number}`,
  login: `user${number}`,
  parent_id: 'group.id.1',
  enabled,
  domain_type: 'local',
  domain_name: '',
  ldap_guid: '',
  comment: '',
  phone_number: null,
  password_hash: null,
})

type Fields = Partial<AuthorizationRule>
const rulesOf = (all: readonly Fields[]): AuthorizationRule[] =>
  all.map((fields, at) => ({
    id: `${at}`,
    enabled: true,
    ip: null,
    mac: null,
    user_id: 1,
    always_logged: false,
    comment: '',
    ...fields,
  }))

/** User 3 is denied access. */
const configOf = (rules: readonly Fields[], everyone = false): Config =>
  [
    (config: Config) => write(config, users, [user(1), user(2), user(3, true)]),
    (config: Config) => write(config, authorizationRules, rulesOf(rules)),
    (config: Config) =>
      write(config, settings, {
        allow_internet_to_everyone: everyone,
        web_authorization: true,
        session_minutes: 20,
      }),
  ].reduce((config, change) => change(config), {} as Config)

const stageOf = (rules: readonly Fields[]) => authorizationStage(configOf(rules), context)
const print = (ranges: readonly number[] = []) => pairsOf(ranges).map(([low, high]) => printSpan(low, high))

describe('the stage of authorization', () => {
  it('is not there while everyone is allowed, nothing is named and no device is to be found', () => {
    assert.equal(authorizationStage(configOf([], true), context), null)
    assert.equal(authorizationStage(configOf([{ ip: '10.0.0.1', enabled: false }], true), context), null)
    const named = authorizationStage(configOf([], true), { ...context, namesMembers: true })
    assert.deepEqual([named?.isEnforced, named?.portalPort], [false, null])
    assert.equal(authorizationStage(configOf([{ ip: '10.0.0.1' }], true), context)?.isEnforced, false)
    const noted = authorizationStage(configOf([], true), { ...context, notesUnknown: true })
    assert.deepEqual([noted?.isEnforced, noted?.notesUnknown], [false, true])
    const enforced = authorizationStage(configOf([]), context)
    assert.deepEqual([enforced?.isEnforced, enforced?.portalPort, enforced?.idleSeconds], [true, 8085, 1200])
  })

  it('has the enabled rules of users who are not denied, each by its kind', () => {
    const stage = stageOf([
      { ip: '10.0.0.1' },
      { ip: '10.0.0.2', mac: card },
      { mac: card },
      { ip: '10.1.0.0/24' },
      { ip: '10.0.0.3/32' },
      { ip: '10.0.0.4', enabled: false },
      { ip: '10.0.0.5', user_id: 3 },
      { mac: '02:00:00:00:00:03', user_id: 3 },
      { ip: '10.3.0.0/24', user_id: 3 },
      { ip: '10.4.0.0/24', mac: card },
    ])
    assert.deepEqual(print(stage?.hosts), ['10.0.0.1', '10.0.0.3'])
    assert.deepEqual(print(stage?.networks), ['10.1.0.0/24'])
    assert.deepEqual(stage?.pairs, [{ address: 0x0a00_0002, mac: card }])
    assert.deepEqual(stage?.macs, [card])
  })

  it('keeps hosts of denied users out of the networks around them, and others in', () => {
    const rules = [{ ip: '10.1.0.0/29' }, { ip: '10.1.0.2', user_id: 3 }, { ip: '10.1.0.4', user_id: 2 }]
    assert.deepEqual(print(stageOf(rules)?.networks), ['10.1.0.0/31', '10.1.0.3-10.1.0.7'])
  })

  it('gives the same lists while rules and users are the same', () => {
    const config = configOf([{ ip: '10.0.0.1' }, { ip: '10.0.0.2', mac: card }, { mac: card }])
    const [a, b] = [authorizationStage(config, context), authorizationStage({ ...config }, context)]
    assert.ok(a?.hosts === b?.hosts && a?.pairs === b?.pairs && a?.macs === b?.macs)
  })
})

describe('addresses of users', () => {
  const addressesOf = (rules: readonly Fields[]) => Object.fromEntries(userAddresses(configOf(rules)))

  it('are those of all enabled rules with an address, always authorized or not', () => {
    const found = addressesOf([
      { ip: '10.0.0.1' },
      { ip: '10.0.0.2', mac: card, user_id: 2, always_logged: true },
      { mac: card },
      { ip: '10.0.0.9', user_id: 3 },
    ])
    assert.deepEqual(found, {
      'user.id.1': ['10.0.0.1'],
      'user.id.2': ['10.0.0.2'],
      'group.id.1': ['10.0.0.1', '10.0.0.2'],
    })
  })

  it('are one user’s at a time: hosts before networks, earlier networks before later ones', () => {
    const found = addressesOf([
      { ip: '10.1.0.0/28', user_id: 2 },
      { ip: '10.1.0.0/24' },
      { ip: '10.1.0.18' },
      { ip: '10.1.0.18', mac: card, user_id: 2 },
      { ip: '10.1.0.130', user_id: 3 },
      { ip: '10.2.0.0/24', user_id: 2 },
    ])
    assert.deepEqual(found['user.id.1'], ['10.1.0.16/31', '10.1.0.19-10.1.0.129', '10.1.0.131-10.1.0.255'])
    assert.deepEqual(found['user.id.2'], ['10.1.0.18', '10.1.0.0/28', '10.2.0.0/24'])
  })
})

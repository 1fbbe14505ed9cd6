// Whatever way it came about, a configuration with wrong VPN settings or rules is refused.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Config, read, write } from '../../core/model/slots.ts'
import { createPlanner } from '../../core/plan/planner.ts'
import { accessRules, leaseRules, pushedRoutes, settings } from './config.ts'
import type { AccessRule, LeaseRule, VpnSettings } from './contract.ts'
import { vpn } from './index.ts'

const access: AccessRule = {
  id: 1,
  enabled: true,
  title: '',
  sources: ['any'],
  objects: ['any'],
  vpns: ['any'],
  comment: '',
  action: 'allow',
  two_factor: 'not_required',
}
const lease: LeaseRule = { id: 1, enabled: true, title: '', objects: ['any'], address: '10.128.1.0/24', comment: '' }

const withSettings = (more: Partial<VpnSettings>): Config => write({}, settings, { ...read({}, settings), ...more })
const withAccess = (more: Partial<AccessRule>): Config => write({}, accessRules, [{ ...access, ...more }])

describe('verification of the VPN servers', () => {
  const { verify } = createPlanner([vpn])
  const fieldsOf = (config: Config) => verify(config).map(({ field }) => field)

  it('accepts the defaults and plain rules', () => {
    assert.deepEqual(fieldsOf(write(write({}, accessRules, [access]), leaseRules, [lease])), [])
  })

  it('keeps address rules that a changed network leaves outside', () => {
    assert.deepEqual(fieldsOf(write(withSettings({ network: '10.64.0.0/16' }), leaseRules, [lease])), [])
  })

  const rows: [title: string, config: Config, field: string][] = [
    ['a network with host bits', withSettings({ network: '10.128.0.1/16' }), 'settings.network'],
    ['a missing zone', withSettings({ zone: 'zone.id.7' }), 'settings.zone'],
    [
      'a domain that cannot be resolved outside',
      withSettings({ sstp: { enabled: true, domain: 'vpn.local', port: 1443 } }),
      'settings.sstp.domain',
    ],
    ['any among sources', withAccess({ sources: ['any', 'ip.id.1'] }), 'access_rules[1].sources'],
    ['a missing source', withAccess({ sources: ['ip.id.1'] }), 'access_rules[1].sources[0]'],
    ['a missing user', withAccess({ objects: ['user.id.77'] }), 'access_rules[1].objects[0]'],
    ['any among kinds of VPN', withAccess({ vpns: ['any', 'sstp'] }), 'access_rules[1].vpns'],
    [
      'a factor of a rule that denies',
      withAccess({ action: 'deny', two_factor: 'totp' }),
      'access_rules[1].two_factor',
    ],
    [
      'addresses with host bits',
      write({}, leaseRules, [{ ...lease, address: '10.128.1.1/24' }]),
      'lease_rules[1].address',
    ],
    [
      'the same addresses twice',
      write({}, leaseRules, [lease, { ...lease, id: 2, address: '10.128.1.0/255.255.255.0' }]),
      'lease_rules[2].address',
    ],
    [
      'routes to a missing subnet',
      write({}, pushedRoutes, { mode: 'custom', networks: [], excluded_networks: ['subnet.id.7'] }),
      'pushed_routes.excluded_networks[0]',
    ],
  ]
  for (const [title, config, expected] of rows)
    it(`refuses ${title}`, () => assert.deepEqual(fieldsOf(config), [`vpn.${expected}`]))
})

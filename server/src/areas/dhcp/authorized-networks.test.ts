import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Config, write } from '../../core/model/slots.ts'
import { authorizationRules } from '../authorization/config.ts'
import { verify } from './authorized-networks.ts'
import { entries } from './config.ts'

const server = {
  ranges: ['10.0.0.10-10.0.0.100'],
  lease: 60,
  dns1: null,
  dns2: null,
  wins1: null,
  wins2: null,
  routes: [],
  options: [],
  wpad: false,
  tftp_filename: '',
  tftp_ip: null,
}

const configOf = (ip: string | null, isRuleEnabled = true): Config => {
  const entry = { id: 'e', enabled: true, interface: 'interface.id.1', relay: null, server }
  const rule = { id: 'r', enabled: isRuleEnabled, ip, mac: null, user_id: 1, always_logged: false, comment: '' }
  const withRule = write({}, authorizationRules, [rule])
  return { ...withRule, [entries.key]: [entry] }
}

describe('a range of DHCP', () => {
  it('is inside of a network that is authorized as a whole, or outside of it', () => {
    for (const ip of ['10.0.0.0/24', '10.0.1.0/24', '10.0.0.50', null])
      assert.deepEqual(verify(configOf(ip)), [], `${ip}`)
    assert.deepEqual(verify(configOf('10.0.0.0/27', false)), [], 'a disabled rule')
    for (const ip of ['10.0.0.0/27', '10.0.0.32/28']) {
      const [problem] = verify(configOf(ip))
      assert.equal(problem?.field, 'dhcp.settings[e].server.ranges[0]')
      assert.match(problem?.message ?? '', new RegExp(ip))
    }
  })
})

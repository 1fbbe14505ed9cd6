// What a restored or reverted configuration must not say about the client agent.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { expiredRoot } from '../../../test/support/dated-roots.ts'
import { write } from '../../core/model/slots.ts'
import { settings } from './config.ts'
import { clientAgent } from './index.ts'

const faultsOf = (fields: Partial<typeof settings.initial>) =>
  (clientAgent.verify?.(write({}, settings, { ...settings.initial, ...fields })) ?? []).map(({ field }) => field)

describe('the settings of the client agent', () => {
  it('have a certificate while devices can connect', () => {
    assert.deepEqual(faultsOf({}), [])
    assert.deepEqual(faultsOf({ device_vpn: true }), ['client_agent.settings.trusted_ca_cert'])
  })

  it('have a certificate that can be read', () =>
    assert.deepEqual(faultsOf({ trusted_ca_cert: 'not a certificate' }), ['client_agent.settings.trusted_ca_cert']))

  it('can have a certificate that has expired since it was sent', () =>
    assert.deepEqual(faultsOf({ device_vpn: true, trusted_ca_cert: expiredRoot }), []))
})

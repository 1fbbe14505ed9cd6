// What a restored or reverted configuration must not say about mail.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Config, write } from '../../core/model/slots.ts'
import { general, trustedNetworks } from './config.ts'
import { mail } from './index.ts'

const faultsOf = (config: Config) => (mail.verify?.(config) ?? []).map(({ field }) => field)
const withGeneral = (fields: Partial<typeof general.initial>) => write({}, general, { ...general.initial, ...fields })

describe('the mail settings', () => {
  it('are accepted as they are at first', () => assert.deepEqual(faultsOf({}), []))

  it('use a domain for one purpose, whatever its case', () => {
    const twice = withGeneral({ mail_domain: 'example.com', mail_additional_domains: ['a.example', 'Example.COM'] })
    assert.deepEqual(faultsOf(twice), ['mail.general.mail_additional_domains[1]'])
    const relayed = withGeneral({ mail_domain: 'example.com', mail_relay_domains: ['example.com|192.0.2.1'] })
    assert.deepEqual(faultsOf(relayed), ['mail.general.mail_relay_domains[0]'])
  })

  it('have a host name that is not a relay domain', () => {
    const config = withGeneral({ mail_hostname: 'mx.example', mail_relay_domains: ['MX.example|192.0.2.1'] })
    assert.deepEqual(faultsOf(config), ['mail.general.mail_hostname'])
  })

  it('trust no network wide enough to make an open relay, and none without a valid mask', () => {
    const networks = ['10.0.0.0/8', '0.0.0.0/0', '10.0.0.0/255.0.255.0']
    assert.deepEqual(faultsOf(write({}, trustedNetworks, { postfix_mynetworks: networks })), [
      'mail.trusted_networks.postfix_mynetworks[1]',
      'mail.trusted_networks.postfix_mynetworks[2]',
    ])
  })
})

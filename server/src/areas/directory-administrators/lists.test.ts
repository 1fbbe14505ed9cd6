// What a restored or reverted configuration must not say about RADIUS servers, and what administrator rules mention.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { addItem } from '../../core/model/list-edits.ts'
import { type Config, write } from '../../core/model/slots.ts'
import { adRules, radius } from './config.ts'
import { directoryAdministrators } from './index.ts'

const none = { server: '', port: null, secret: null }
const full = { server: '192.0.2.1', port: 1812, secret: { sealed: 'v1.1.a.b' } }

const faultsOf = (config: Config) => (directoryAdministrators.verify?.(config) ?? []).map(({ field }) => field)

describe('the RADIUS servers', () => {
  it('can both be empty, or the secondary one', () => {
    assert.deepEqual(faultsOf({}), [])
    assert.deepEqual(faultsOf(write({}, radius, { primary: full, secondary: none })), [])
  })

  it('have no secondary one without a primary one', () =>
    assert.deepEqual(faultsOf(write({}, radius, { primary: none, secondary: full })), [
      'directory_administrators.radius.secondary',
    ]))

  it('have a port for the secondary one', () =>
    assert.deepEqual(faultsOf(write({}, radius, { primary: full, secondary: { ...full, port: null } })), [
      'directory_administrators.radius.secondary.port',
    ]))
})

describe('an administrator rule', () => {
  it('mentions its security group', () => {
    const group_alias = 'security_group.guid.6f9619ff-8b86-d011-b42d-00cf4fc964ff'
    const config = addItem({}, adRules, { id: 'one', enabled: true, role: 1, group_alias, comment: 'On call' })
    assert.deepEqual(
      (directoryAdministrators.references?.(config) ?? []).map(({ id, object, title }) => [id, object, title]),
      [[group_alias, 'directory_administrators.ad[one]', 'AD administrator rule "On call"']],
    )
  })
})

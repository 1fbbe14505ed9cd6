// A configuration that the API would refuse is refused as a whole too, as from a restored backup.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { rootGroup } from '../../core/contract/fields.ts'
import { write } from '../../core/model/slots.ts'
import { rules } from './config.ts'
import { applicationControl } from './index.ts'

const rule = { id: 7, parent_id: rootGroup, name: 'R', comment: '', protocols: [], enabled: true }
const fieldsOf = (...aliases: string[]): string[] => {
  const config = write({}, rules, [{ ...rule, action: 'drop', aliases }])
  return (applicationControl.verify?.(config) ?? []).map(({ field }) => field)
}

it('a rule that names a missing or a wrong object is refused', () => {
  const path = 'application_control.rules[7].aliases'
  assert.deepEqual(fieldsOf('iplist.id.276', 'ip.id.9', 'port.id.1'), [`${path}[1]`, `${path}[2]`])
  assert.deepEqual(fieldsOf('any', 'iplist.id.276'), [path])
})

it('a right rule is accepted', () => {
  assert.deepEqual(fieldsOf('any'), [])
  assert.deepEqual(fieldsOf('iplist.id.276'), [])
})

// A configuration that the API would refuse is refused as a whole too, as from a restored backup.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { type Config, type Slot, write } from '../../core/model/slots.ts'
import { custom, nets, profileRules, profiles } from './config.ts'
import { templateId } from './contract-profiles.ts'
import { intrusionPrevention } from './index.ts'

const base: Config = write({}, profiles, [{ id: 'p', name: 'P', comment: '' }])
const rule = { id: 1, profile_id: 'p', filters: [], action: 'drop', comment: '' } as const
const sids = [{ key: 'sid', operator: 'equals', values: [1, '2'] }]
const signature = (id: string, text: string) => ({ id, comment: '', rule: text })
const text = 'alert tcp any any -> any any (sid:5;)'

const cases: readonly (readonly [title: string, slot: Slot, items: readonly object[], ...fields: string[]])[] = [
  ['a rule of a missing profile', profileRules, [{ ...rule, profile_id: 'q' }], 'profile_rules[1].profile_id'],
  ['a rule of the template', profileRules, [{ ...rule, profile_id: templateId }], 'profile_rules[1].profile_id'],
  ['a text as a sid', profileRules, [{ ...rule, filters: sids }], 'profile_rules[1].filters[0].values[1]'],
  ['a signature that cannot be parsed', custom, [signature('5', 'nonsense')], 'custom[5].rule'],
  ['a signature under another sid', custom, [signature('6', text)], 'custom[6].rule'],
  ['a sid that is used twice', custom, [signature('5', text), signature('5', text)], 'custom[5].rule'],
  ['a network with host bits', nets, [{ id: 'a', address: '10.0.0.1/8' }], 'nets[a].address'],
  ['a network twice', nets, ['a', 'b'].map((id) => ({ id, address: '10.0.0.0/8' })), 'nets[b].address'],
  ['no network', nets, [], 'nets'],
]

for (const [title, slot, items, ...fields] of cases) {
  it(`${title} is refused`, () => {
    const problems = intrusionPrevention.verify?.({ ...base, [slot.key]: items }) ?? []
    assert.deepEqual(
      problems.map(({ field }) => field),
      fields.map((field) => `intrusion_prevention.${field}`),
    )
  })
}

it('a right configuration is accepted', () => {
  assert.deepEqual(intrusionPrevention.verify?.(write(base, custom, [signature('5', text)])), [])
})

// A configuration that the API would refuse is refused as a whole too, as from a restored backup.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { type Config, type Slot, write } from '../../core/model/slots.ts'
import { exceptions, profiles, rules } from './config.ts'
import { webApplicationFirewall } from './index.ts'

const profile = {
  id: 'p',
  name: 'P',
  detection_only: false,
  disabled_categories: [],
  server_tokens: false,
  comment: '',
  from_central_console: false,
}
const base: Config = write({}, profiles, [profile])
const country = 'iplist.id.276'
const rule = {
  id: 1,
  profile_id: 'p',
  aliases: [country],
  aliases_negate: false,
  action: 'block',
  comment: '',
  enabled: true,
}
const many = Array.from({ length: 1_001 }, () => country)
const exception = { id: 'e', profile_id: 'q', rule_id: 942_100, comment: '', enabled: true }

const cases: readonly (readonly [title: string, slot: Slot, items: readonly object[], ...fields: string[]])[] = [
  ['a rule of a missing profile', rules, [{ ...rule, profile_id: 'q' }], 'rules[1].profile_id'],
  ['an excluded rule of a missing profile', exceptions, [exception], 'exceptions[e].profile_id'],
  ['a missing source', rules, [{ ...rule, aliases: [country, 'ip.id.9'] }], 'rules[1].aliases[1]'],
  ['a source of the wrong kind', rules, [{ ...rule, aliases: ['port.id.1'] }], 'rules[1].aliases[0]'],
  [
    'a profile with too many sources',
    rules,
    [
      { ...rule, aliases: many },
      { ...rule, id: 2, aliases: many },
    ],
    'rules[1].aliases',
    'rules[2].aliases',
  ],
  [
    'a disabled category that is required',
    profiles,
    [{ ...profile, disabled_categories: ['REQUEST-949-BLOCKING-EVALUATION'] }],
    'profiles[p].disabled_categories[0]',
  ],
]

for (const [title, slot, items, ...fields] of cases) {
  it(`${title} is refused`, () => {
    const problems = webApplicationFirewall.verify?.({ ...base, [slot.key]: items }) ?? []
    assert.deepEqual(
      problems.map(({ field }) => field),
      fields.map((field) => `web_application_firewall.${field}`),
    )
  })
}

it('a right configuration is accepted', () => {
  assert.deepEqual(webApplicationFirewall.verify?.(write(base, rules, [{ ...rule, action: 'pass' }])), [])
})

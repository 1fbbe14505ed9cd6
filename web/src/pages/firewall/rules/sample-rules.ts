// Objects and rules for the tests of the pure parts.

import { indexObjects } from '../../../util/objects.ts'
import { type Rule, ruleTables } from './tables.ts'

const object = (id: string, title: string, rest: object = {}) => ({
  id,
  title,
  comment: '',
  type: id.split('.')[0] ?? '',
  ...rest,
})

export const sampleIndex = indexObjects([
  object('any', 'Any'),
  object('ip.id.1', 'Web 1', { value: '10.0.0.1' }),
  object('ip.id.2', 'Web 2', { value: '10.0.0.2' }),
  object('subnet.id.3', 'Office', { value: '10.1.2.0/24' }),
  object('address_list.id.4', 'Web servers', { values: ['ip.id.1', 'ip.id.2', 'domain.id.9'] }),
  object('port.id.5', 'https', { value: 443 }),
  object('port_range.id.6', 'High', { start: 8000, end: 8010 }),
  object('time_range.id.7', 'Working hours', { start: '08:00', end: '18:00', weekdays: [1] }),
  object('ip.id.8', 'Web 1', { value: '10.9.9.9' }),
  object('domain.id.9', 'Site', { value: 'example.com' }),
  { ...object('interface.local_any', 'Local interfaces'), type: 'special_interface' },
  object('zone.id.10', 'Office zone'),
])

export const sampleRule = (id: number, fields: Partial<Rule> = {}): Rule => ({
  // Cast: as in newRule.
  ...(ruleTables.forward.defaults as unknown as Rule),
  id,
  ...fields,
})

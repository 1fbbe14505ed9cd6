// A configuration that the API would refuse is refused as a whole too, as from a restored backup.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { write } from '../../core/model/slots.ts'
import { profiles } from './config.ts'
import { applicationProfilesArea } from './index.ts'

const fieldsOf = (...ids: string[]): string[] => {
  const protocols = ids.map((id) => ({ id: `id.l7.${id}`, action: 'deny' as const }))
  const config = write({}, profiles, [{ id: 'p', name: 'P', comment: '', protocols }])
  return (applicationProfilesArea.verify?.(config) ?? []).map(({ field }) => field)
}

it('a profile that lists an application twice is refused', () => {
  assert.deepEqual(fieldsOf('dns', 'ftp', 'dns'), ['application_profiles.profiles[p].protocols[2].id'])
})

it('a right profile is accepted', () => assert.deepEqual(fieldsOf('dns', 'ftp'), []))

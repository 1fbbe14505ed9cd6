// The state of a profile, from the channels that inspect with it and from the engine as a whole.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { type ChannelState, type InspectionState, inspectionOff } from '../../core/contract/inspection-state.ts'
import { templateId } from '../intrusion-prevention/contract-profiles.ts'
import { showProfiles } from './status.ts'

const channel = (number: number, prevention: string, inForce: string | null): ChannelState => ({
  ...{ number, prevention, inForce, applications: '', older: null, isFailOpen: true, ready: true },
  ...{ lastTestAt: 1, message: '' },
})

const stateOf = (state: InspectionState['state'], own: string | null, other: string | null): string | undefined => {
  const channels = [channel(1, templateId, own), channel(2, 'other', other)]
  return showProfiles({}, { ...inspectionOff, state, generation: 'new', channels }, new Map())[0]?.state
}

it('a profile is active when its channels are in force and nothing of the engine as a whole is awaited', () => {
  assert.equal(stateOf('active', 'new', 'new'), 'active')
  assert.equal(stateOf('loading', 'new', null), 'active')
  assert.equal(stateOf('failed', 'new', null), 'active')
  assert.equal(stateOf('loading', 'new', 'new'), 'loading')
  assert.equal(stateOf('loading', 'old', 'new'), 'loading')
  assert.equal(stateOf('loading', null, null), 'waiting')
  assert.equal(stateOf('failed', null, 'new'), 'failed')
})

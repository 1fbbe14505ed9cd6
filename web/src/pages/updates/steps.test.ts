import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { stepsOf } from './steps.ts'

const shown = (steps: ReturnType<typeof stepsOf>): string =>
  steps.map(({ name, state }) => `${name} ${state}`).join(', ')

describe('steps of an upgrade', () => {
  it('are past, now or later while it runs', () => {
    assert.equal(
      shown(stepsOf({ state: 'running', step: 'installing' })),
      'checking past, keeping past, installing now, starting next',
    )
    assert.equal(
      shown(stepsOf({ state: 'running', step: 'checking' })),
      'checking now, keeping next, installing next, starting next',
    )
  })

  it('are all past when it is done', () => {
    assert.equal(
      shown(stepsOf({ state: 'done', step: 'starting' })),
      'checking past, keeping past, installing past, starting past',
    )
  })

  it('do not say which one failed while it returns', () => {
    assert.equal(shown(stepsOf({ state: 'running', step: 'returning' })), 'checking past, keeping past, returning now')
  })
})

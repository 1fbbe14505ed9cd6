import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { LaunchFailure } from './failure.ts'
import { readSettings, showListen } from './settings.ts'

const read = (env: Record<string, string>) => readSettings(env, '/srv/portcullis', '/home/someone')

describe('settings', () => {
  test('an empty environment gives the lab on loopback with the state beside the program', () => {
    const defaults = {
      listen: { host: '127.0.0.1', port: 8443 },
      stateDir: '/srv/portcullis/state',
      brand: 'portcullis',
      plane: 'lab',
      agentListen: null,
      agentPath: null,
      nftWay: null,
      adminPassword: null,
    }
    assert.deepEqual(read({}), defaults)
    assert.deepEqual(read({ PORTCULLIS_LISTEN: '', PORTCULLIS_STATE: '', PORTCULLIS_BRAND: '' }), defaults)
  })

  test('a relative state folder is meant from where the user is', () => {
    assert.equal(read({ PORTCULLIS_STATE: 'gateway-state' }).stateDir, '/home/someone/gateway-state')
  })

  test('addresses of both families are read and shown the same way', () => {
    for (const text of ['127.0.0.1:8443', '0.0.0.0:443', '[::1]:8443', '[::]:0'])
      assert.equal(showListen(read({ PORTCULLIS_LISTEN: text }).listen), text)
    assert.deepEqual(read({ PORTCULLIS_LISTEN: 'localhost:1' }).listen, { host: '127.0.0.1', port: 1 })
  })

  const refused: readonly (readonly [string, string])[] = [
    ['PORTCULLIS_LISTEN', '8443'],
    ['PORTCULLIS_LISTEN', '127.0.0.1'],
    ['PORTCULLIS_LISTEN', '127.0.0.1:65536'],
    ['PORTCULLIS_LISTEN', '::1:8443'],
    ['PORTCULLIS_LISTEN', 'example.test:8443'],
    ['PORTCULLIS_AGENT_LISTEN', '14765'],
    ['PORTCULLIS_AGENT_PATH', 'connect'],
    ['PORTCULLIS_AGENT_PATH', '/a b'],
    ['PORTCULLIS_NFT', 'iptables'],
    ['PORTCULLIS_STATE', '/'],
    ['PORTCULLIS_BRAND', 'a b'],
    ['PORTCULLIS_BRAND', 'x'.repeat(33)],
    ['PORTCULLIS_DATAPLANE', 'Lab'],
    ['PORTCULLIS_ADMIN_PASSWORD', 'too short'],
    ['PORTCULLIS_ADMIN_PASSWORD', 'x'.repeat(43)],
  ]
  for (const [name, value] of refused)
    test(`${name}=${value} is refused in one sentence that names it`, () => {
      const isSentence = (error: unknown) =>
        error instanceof LaunchFailure && error.exitCode === 2 && /^[^.\n]*\S.*\.$/.test(error.message)
      assert.throws(() => read({ [name]: value }), isSentence)
      assert.throws(() => read({ [name]: value }), new RegExp(name))
    })

  test('a password is never repeated in the sentence', () => {
    assert.throws(
      () => read({ PORTCULLIS_ADMIN_PASSWORD: 'hunter2' }),
      (error: Error) => !error.message.includes('hunter2'),
    )
  })
})

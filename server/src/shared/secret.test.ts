// A secret in the environment is gone from /proc as soon as a program has taken it.
// Requirement 28.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { appRoot } from '../tools/launcher/layout.ts'

const name = 'PORTCULLIS_ADMIN_PASSWORD'
const secret = 'correct horse 9'

const takers = {
  'launcher and gatewayd': [join(appRoot, 'server/src/shared/secret.ts'), `takeSecret(process.env, '${name}')`],
  'the script of npm start': [join(appRoot, 'scripts/lib/secret.mjs'), `takeSecret('${name}')`],
} as const

function run(
  code: string,
  input: string,
  stdio: 'environment' | 'descriptor',
  extra: Record<string, string> = {},
): string {
  const env = stdio === 'environment' ? { [name]: input } : { [`${name}_FD`]: '0' }
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
    env: { FIRST: 'one', ...env, LAST: 'two', ...extra },
    encoding: 'utf8',
    ...(stdio === 'descriptor' ? { input } : {}),
  })
  assert.equal(stderr, '')
  return stdout
}

const showing = (path: string, call: string): string => `
  import { readFileSync } from 'node:fs'
  import { takeSecret } from ${JSON.stringify(path)}
  const taken = ${call}
  const environ = readFileSync('/proc/self/environ', 'latin1')
  console.log(JSON.stringify({ taken, environ, variables: process.env }))`

describe('L6: a secret in the environment', () => {
  for (const [who, [path, call]] of Object.entries(takers)) {
    test(`is taken out of it by ${who}, and nothing else is`, () => {
      const { taken, environ, variables } = JSON.parse(run(showing(path, call), secret, 'environment'))
      assert.equal(taken, secret)
      assert.ok(!environ.includes('horse'), environ)
      assert.ok(environ.includes('FIRST=one') && environ.includes('LAST=two'))
      assert.equal(variables[name], undefined)
      assert.deepEqual([variables.FIRST, variables.LAST], ['one', 'two'])
    })
  }

  test('is not confused with a variable whose name ends the same', () => {
    const [path, call] = takers['launcher and gatewayd']
    const text = run(showing(path, call), secret, 'environment', { [`X_${name}`]: 'kept' })
    const { taken, environ } = JSON.parse(text)
    assert.equal(taken, secret)
    assert.ok(environ.includes(`X_${name}=kept`) && !environ.includes('horse'))
  })

  test('can come through a descriptor instead; an empty one is not one', () => {
    const [path, call] = takers['launcher and gatewayd']
    assert.equal(JSON.parse(run(showing(path, call), secret, 'descriptor')).taken, secret)
    assert.equal(JSON.parse(run(showing(path, call), '', 'descriptor')).taken, null)
    assert.equal(JSON.parse(run(showing(path, call), '', 'environment')).taken, null)
  })
})

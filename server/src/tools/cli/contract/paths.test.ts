import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endpoint } from '../../../core/contract/endpoint.ts'
import { CommandFailure } from '../failure.ts'
import { completePath, encodePath, endpointsAt, requireEndpoint } from './paths.ts'

const at = (method: 'GET' | 'PATCH' | 'POST', path: string) =>
  endpoint({ method, path, access: 'view', summary: `${method} ${path}` })

const endpoints = [
  at('GET', '/rules'),
  at('POST', '/rules'),
  at('PATCH', '/rules/:rule_id'),
  at('PATCH', '/rules/move'),
  at('GET', '/rules/:rule_id/hits'),
]

const messageOf = (work: () => unknown): string => {
  try {
    work()
    return ''
  } catch (error) {
    assert.ok(error instanceof CommandFailure)
    return [error.message, ...error.lines].join('\n')
  }
}

test('a path finds its endpoint, fixed words before variables', () => {
  assert.equal(requireEndpoint(endpoints, 'PATCH', '/rules/7').path, '/rules/:rule_id')
  assert.equal(requireEndpoint(endpoints, 'PATCH', '/rules/move').path, '/rules/move')
  assert.deepEqual(
    endpointsAt(endpoints, '/rules').map(({ method }) => method),
    ['GET', 'POST'],
  )
})

test('a wrong method is reported with those the path takes', () => {
  assert.match(
    messageOf(() => requireEndpoint(endpoints, 'PATCH', '/rules')),
    /does not take PATCH.*\n.*gw get \/rules/,
  )
})

test('an unknown path is reported with the nearest one', () => {
  assert.match(
    messageOf(() => requireEndpoint(endpoints, 'GET', '/ruels')),
    /Did you mean \/rules\?/,
  )
})

test('a variable left in the path is not sent', () => {
  assert.match(
    messageOf(() => requireEndpoint(endpoints, 'PATCH', '/rules/:rule_id')),
    /Replace :rule_id/,
  )
})

test('segments are encoded, and what was encoded stays', () => {
  assert.equal(encodePath('/a b/ü?/x%2Fy/..#'), '/a%20b/%C3%BC%3F/x%2Fy/..%23')
})

test('completion goes up to the next variable and on behind it', () => {
  const paths = endpoints.map(({ path }) => path)
  assert.deepEqual(completePath(paths, ''), ['/rules', '/rules/', '/rules/move'])
  assert.deepEqual(completePath(paths, '/ru'), ['/rules', '/rules/', '/rules/move'])
  assert.deepEqual(completePath(paths, '/rules/7'), ['/rules/7', '/rules/7/hits'])
  assert.deepEqual(completePath(paths, '/rules/7/'), ['/rules/7/hits'])
  assert.deepEqual(completePath(paths, '/other'), [])
})

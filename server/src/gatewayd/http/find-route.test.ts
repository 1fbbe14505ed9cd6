import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { areas } from '../../areas/index.ts'
import { handle, type Route } from '../../core/area/handle.ts'
import { endpoint } from '../../core/contract/endpoint.ts'
import { findPlace, findRoute, methodsAt, mostParts } from './find-route.ts'

type Method = Route['endpoint']['method']

const route = (method: Method, path: string): Route =>
  handle(endpoint({ method, path, access: 'view', summary: 'A call' }), () => undefined)

const routes = [
  route('GET', '/things'),
  route('POST', '/things'),
  route('GET', '/things/:id'),
  route('DELETE', '/things/:id'),
  route('POST', '/things/move'),
  route('GET', '/things/:thing_id/parts/:part_id'),
]

const shown = (method: string, url: string): string | null => {
  const found = findPlace(routes, method, url)
  return found && `${found.route.endpoint.method} ${found.route.endpoint.path} ${JSON.stringify(found.params)}`
}

describe('a route', () => {
  it('is found by method and path, with the variables of the path', () => {
    assert.equal(shown('GET', '/things'), 'GET /things {}')
    assert.equal(shown('POST', '/things?dry_run=true'), 'POST /things {}')
    assert.equal(
      shown('GET', '/things/7/parts/a'),
      'GET /things/:thing_id/parts/:part_id {"thing_id":"7","part_id":"a"}',
    )
  })

  it('with a fixed part goes before one with a variable, if it takes the method', () => {
    assert.equal(shown('POST', '/things/move'), 'POST /things/move {}')
    assert.equal(shown('GET', '/things/move'), 'GET /things/:id {"id":"move"}')
  })

  it('takes each part of the path decoded, once', () => {
    assert.equal(shown('GET', '/th%69ngs/a%2Fb%2541'), 'GET /things/:id {"id":"a/b%41"}')
    assert.equal(shown('GET', '/things/%'), null)
    assert.equal(shown('GET', '/things/%ff'), null)
  })

  it('is found in a whole address and beside a fragment', () => {
    assert.equal(shown('GET', 'https://gateway.test/things?a=/b'), 'GET /things {}')
    assert.equal(shown('GET', '/things#/7'), 'GET /things {}')
  })

  it('of a GET answers HEAD', () => {
    assert.equal(shown('HEAD', '/things'), 'GET /things {}')
    assert.equal(shown('HEAD', '/things/move'), 'GET /things/:id {"id":"move"}')
  })

  it('is not found by what only looks like its path', () => {
    for (const url of ['', '/', '/Things', '//things', '/things/7/', '/things/7/parts', 'things', '*'])
      assert.equal(shown('GET', url), null, url)
    assert.equal(shown('PUT', '/things'), null)
    assert.equal(shown('__proto__', '/things'), null)
  })

  it('has fewer parts than are looked at, however many a client sends', (test) => {
    for (const { endpoint } of areas.flatMap((area) => area.routes))
      assert.ok(endpoint.path.split('/').length < mostParts, endpoint.path)
    const decode = test.mock.method(globalThis, 'decodeURIComponent')
    for (const url of ['/'.repeat(8_000), `/things/7${'/a'.repeat(4_000)}`, `/things/7${'/'.repeat(mostParts)}`]) {
      assert.equal(shown('GET', url), null)
      assert.deepEqual(methodsAt(routes, url), [])
    }
    assert.ok(decode.mock.callCount() <= 6 * mostParts, `${decode.mock.callCount()} parts`)
  })

  it('is found with a variable that is empty, but not by a call that comes as data', () => {
    assert.equal(shown('GET', '/things/'), 'GET /things/:id {"id":""}')
    assert.equal(findRoute(routes, 'GET', '/things/'), null)
    assert.equal(findRoute(routes, 'GET', '/things/7')?.params.id, '7')
  })

  it('of a call that comes as data has its query as well, and no HEAD', () => {
    const found = findRoute(routes, 'POST', '/things?a=1&__proto__=2')
    assert.deepEqual(Object.entries(found?.query ?? {}), [
      ['a', '1'],
      ['__proto__', '2'],
    ])
    assert.equal(findRoute(routes, 'HEAD', '/things'), null)
  })

  it('of every area is found by its own path', () => {
    const all = areas.flatMap((area) => area.routes)
    for (const one of all) {
      const { method, path } = one.endpoint
      const url = path.replace(/:\w+/g, 'x-1')
      assert.equal(findPlace(all, method, url)?.route, one, `${method} ${path}`)
    }
  })
})

describe('methods of a path', () => {
  it('are those of all its routes', () => {
    assert.deepEqual(methodsAt(routes, '/things'), ['GET', 'HEAD', 'POST'])
    assert.deepEqual(methodsAt(routes, '/things/move?a=1'), ['DELETE', 'GET', 'HEAD', 'POST'])
    assert.deepEqual(methodsAt(routes, '/nothing'), [])
    assert.deepEqual(methodsAt(routes, '/things/'), [])
    assert.deepEqual(methodsAt(routes, '/%'), [])
  })
})

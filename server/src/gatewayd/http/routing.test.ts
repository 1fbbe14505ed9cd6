import assert from 'node:assert/strict'
import { it } from 'node:test'
import Fastify from 'fastify'
import { areas } from '../../areas/index.ts'
import { Routing } from './routing.ts'

const routes = areas.flatMap((area) => area.routes)

async function createApp() {
  const routing = new Routing(routes)
  const app = Fastify({ routerOptions: { constraints: routing.constraints } })
  const known: string[] = []
  app.addHook('onRoute', ({ url }) => void known.push(url))
  routing.addTo(app, ({ endpoint }, { params, routeOptions }, reply) =>
    reply.send({ endpoint: `${endpoint.method} ${endpoint.path}`, params, limit: routeOptions.bodyLimit }),
  )
  app.get('/page', (request) => ({ hasRoute: request.route !== null }))
  await app.ready()
  return { app, known }
}

it('every call comes to its route, with the limit of its body', async () => {
  const { app } = await createApp()
  for (const { endpoint } of routes) {
    const { method, path, params, bodyLimitBytes } = endpoint
    const answer = await app.inject({ method, url: path.replace(/:\w+/g, 'x-1') })
    const expected = { endpoint: `${method} ${path}`, params: Object.fromEntries(params.map((name) => [name, 'x-1'])) }
    assert.deepEqual(answer.json(), { ...expected, limit: bodyLimitBytes })
  }
  assert.deepEqual((await app.inject('/page')).json(), { hasRoute: false })
  assert.equal((await app.inject('/nothing')).statusCode, 404)
  await app.close()
})

it('a start prepares few routes in the framework, however many calls there are', async () => {
  const { app, known } = await createApp()
  assert.ok(known.length < 50, `${known.length} routes`)
  await app.close()
})

// Gives each request its route. The framework knows one route for each size of body and each method, and which of them a request
// belongs to is asked here: preparing all routes in the framework took a sixth of the start of gatewayd (decision 123).

import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifyServerOptions } from 'fastify'
import type { Route } from '../../core/area/handle.ts'
import type { Endpoint } from '../../core/contract/endpoint.ts'
import { findPlace, type RoutePlace } from './find-route.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Null where no endpoint is. */
    route: Route | null
  }
  interface FastifyContextConfig {
    /** Of what is not found by its path here. */
    route?: Route
  }
}

type Handler = (route: Route, request: FastifyRequest, reply: FastifyReply) => unknown

type Constraints = NonNullable<NonNullable<FastifyServerOptions['routerOptions']>['constraints']>

const constraint = 'kind'

/** As the framework wants it: what is not there is null. */
class Kinds<T> {
  readonly #kinds = new Map<string, T>()
  get = (kind: string): T | null => this.#kinds.get(kind) ?? null
  set = (kind: string, found: T): void => void this.#kinds.set(kind, found)
}

export class Routing {
  readonly #routes: readonly Route[]
  readonly #places = new WeakMap<IncomingMessage, RoutePlace>()

  constructor(routes: readonly Route[]) {
    this.#routes = routes
  }

  /** What the framework asks for each request before it looks for the route. */
  get constraints(): Constraints {
    return {
      [constraint]: {
        name: constraint,
        storage: () => new Kinds(),
        validate: () => {},
        // Cast: undefined means that there is none, which the types of the framework do not know.
        deriveConstraint: (request: IncomingMessage) => this.#kindOf(request) as string,
        mustMatchWhenDerived: true,
      },
    }
  }

  #kindOf(request: IncomingMessage): string | undefined {
    const place = findPlace(this.#routes, request.method ?? '', request.url ?? '')
    if (place === null) return undefined
    this.#places.set(request, place)
    return kindOf(place.route.endpoint)
  }

  /** Those that read their body as it comes are in a scope of their own, where no parser reads it. */
  addTo(app: FastifyInstance, handle: Handler): void {
    app.decorateRequest('route', null)
    app.addHook('onRequest', (request, _reply, done) => {
      const place = this.#places.get(request.raw)
      if (place) request.params = place.params
      request.route = place?.route ?? request.routeOptions.config.route ?? null
      done()
    })
    const kinds = Map.groupBy(
      this.#routes.map(({ endpoint }) => endpoint),
      kindOf,
    )
    const add = (scope: FastifyInstance, isStreamed: boolean): void => {
      for (const [kind, [first, ...others]] of kinds)
        if (first && first.streamsBody === isStreamed) addKind(scope, kind, [first, ...others], handle)
    }
    add(app, false)
    void app.register((scope, _options, done) => {
      scope.removeAllContentTypeParsers()
      scope.addContentTypeParser('*', (_request, payload, parsed) => parsed(null, payload))
      add(scope, true)
      done()
    })
  }
}

const kindOf = ({ bodyLimitBytes, streamsBody }: Endpoint): string =>
  `${bodyLimitBytes}${streamsBody ? ' in pieces' : ''}`

type Kin = readonly [Endpoint, ...(readonly Endpoint[])]

function addKind(scope: FastifyInstance, kind: string, endpoints: Kin, handle: Handler): void {
  scope.route({
    method: [...new Set(endpoints.map(({ method }) => method))],
    url: '*',
    bodyLimit: endpoints[0].bodyLimitBytes,
    constraints: { [constraint]: kind },
    handler: (request, reply) => {
      // The framework found this handler by the route.
      if (request.route === null) throw new Error('a request without a route came to a handler')
      return handle(request.route, request, reply)
    },
  })
}

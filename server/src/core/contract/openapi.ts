// The OpenAPI 3.1 document, made from the endpoints. Pure: the same endpoints give the same bytes. `npm run golden` writes them to
// docs/openapi.json, which the gateway serves and which shows every change of the interface in review.

import { accessTable } from './access.ts'
import { documentBrand } from './document-brand.ts'
import { DryRun } from './dry-run.ts'
import { type Endpoint, nameOf } from './endpoint.ts'
import { exampleOf, type JsonSchema, patchExampleOf } from './examples.ts'
import { statusValues } from './fields.ts'
import { jsonValueOf, Schemas, type Shareable, SharedObjects } from './openapi-components.ts'
import { errorComponents, errorResponses, errorSchema, problemSchema, type StatusOf } from './openapi-errors.ts'
import { nounOf, pascal } from './openapi-names.ts'

export interface AreaEndpoints {
  readonly name: string
  readonly endpoints: readonly Endpoint[]
}

const json = 'application/json'
const bytes = { type: 'string', format: 'binary' }

/** The bytes themselves, or a form with them in one field. */
const rawContent = (mediaType: string, formField: string | null) => ({
  [mediaType]: {
    schema: formField === null ? bytes : { type: 'object', properties: { [formField]: bytes }, required: [formField] },
  },
})

/** What operations share. */
interface Parts {
  readonly schemas: Schemas
  readonly parameters: SharedObjects
  readonly bodies: SharedObjects
  readonly responses: SharedObjects
  readonly statusOf: StatusOf
}

export function openApi(areas: readonly AreaEndpoints[], version: string, statusOf: StatusOf): Record<string, unknown> {
  const endpoints = areas.flatMap((area) => area.endpoints)
  const schemas = new Schemas(
    areas.flatMap(({ name, endpoints: own }) => own.map((endpoint) => ({ area: name, endpoint }))),
  )
  const parts: Parts = {
    schemas,
    parameters: new SharedObjects(
      'parameters',
      endpoints.flatMap((endpoint) => parametersOf(endpoint, schemas)),
    ),
    bodies: new SharedObjects(
      'requestBodies',
      endpoints.flatMap((endpoint) => bodyOf(endpoint, schemas) ?? []),
    ),
    responses: new SharedObjects(
      'responses',
      endpoints.map((endpoint) => successOf(endpoint, schemas)),
    ),
    statusOf,
  }
  const paths: Record<string, Record<string, Operation>> = {}
  for (const area of areas) {
    for (const endpoint of area.endpoints) {
      const path = endpoint.path.replaceAll(/:([a-z_]+)/g, '{$1}')
      paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operation(area.name, endpoint, parts) }
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Network security gateway',
      version,
      description:
        'Management interface, release line v19. Every call except the sign-in needs both cookies of the sign-in. ' +
        'Bodies are JSON whatever the Content-Type says; unknown fields are refused. Long replies are compressed ' +
        'with gzip, zstd or br when Accept-Encoding allows it.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers,
    tags: areas.filter((area) => area.endpoints.length > 0).map(({ name }) => ({ name })),
    security: [{ session: [], cookies: [] }],
    'x-access-roles': accessTable,
    paths: Object.fromEntries(Object.entries(sorted(paths)).map(([path, item]) => [path, pathItem(item)])),
    components: {
      schemas: together(schemas.all(), {
        DryRun,
        Error: errorSchema(statusOf),
        Problem: problemSchema,
      }),
      parameters: sorted(parts.parameters.all()),
      headers: changeHeaders,
      requestBodies: sorted(parts.bodies.all()),
      responses: together(parts.responses.all(), errorComponents(endpoints, statusOf)),
      securitySchemes,
    },
  }
}

const sorted = <T>(named: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(Object.entries(named).sort(([a], [b]) => (a < b ? -1 : 1)))

/** Components made from endpoints and those of this document itself. */
function together(made: Readonly<Record<string, unknown>>, own: Readonly<Record<string, unknown>>) {
  const twice = Object.keys(own).filter((name) => name in made)
  if (twice.length > 0) throw new Error(`two components would be called ${twice.join(', ')}`)
  return sorted({ ...made, ...own })
}

/** What a client has to send with each call, by the names of the cookies that the sign-in sets (decision 104). */
const securitySchemes = {
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: `insecure-${documentBrand}-session`,
    description: 'The first of the two cookies that POST /web/auth/login sets.',
  },
  cookies: {
    type: 'apiKey',
    in: 'header',
    name: 'Cookie',
    description:
      `Both cookies of the sign-in: insecure-${documentBrand}-session=...; __Secure-${documentBrand}-UUID=... . The name of the second ` +
      'one differs with every sign-in, so it is described as the whole header. A client with a cookie jar needs to do nothing.',
  },
  token: {
    type: 'http',
    scheme: 'bearer',
    description:
      'The token of POST /health/metrics_token, for a monitoring server. It is good for GET /metrics and for nothing else.',
  },
}

const servers = [
  {
    url: 'https://{address}',
    description: 'A gateway, by the address and port of its management service.',
    variables: { address: { default: '127.0.0.1:8443', description: 'The default is that of npm start.' } },
  },
  { url: '/', description: 'The gateway that serves this document.' },
]

interface Operation {
  readonly [part: string]: unknown
  readonly parameters: readonly unknown[]
}

/** Parameters that all operations of a path have are said once, for the path. */
function pathItem(operations: Readonly<Record<string, Operation>>): Record<string, unknown> {
  const [first = new Set<string>(), ...others] = Object.values(operations).map(
    ({ parameters }) => new Set(parameters.map((one) => JSON.stringify(one))),
  )
  const common = [...first].filter((text) => others.every((texts) => texts.has(text)))
  const rest = Object.entries(operations).map(([method, { parameters, ...operation }]) => {
    const own = parameters.filter((one) => !common.includes(JSON.stringify(one)))
    return [method, own.length > 0 ? { ...operation, parameters: own } : operation]
  })
  const shared = common.map((text) => JSON.parse(text) as unknown)
  return { ...(shared.length > 0 ? { parameters: shared } : {}), ...Object.fromEntries(rest) }
}

function operation(area: string, endpoint: Endpoint, parts: Parts): Operation {
  const body = bodyOf(endpoint, parts.schemas)
  return {
    operationId: operationId(endpoint),
    tags: [area],
    summary: endpoint.summary,
    ...(endpoint.description ? { description: endpoint.description } : {}),
    'x-access': endpoint.access,
    ...(endpoint.access === 'public' ? { security: endpoint.takesToken ? [{ token: [] }] : [] } : {}),
    parameters: parametersOf(endpoint, parts.schemas).map((use) => parts.parameters.refer(use)),
    ...(body ? { requestBody: parts.bodies.refer(body) } : {}),
    responses: {
      200: parts.responses.refer(successOf(endpoint, parts.schemas)),
      ...errorResponses(endpoint, parts.statusOf),
    },
  }
}

function bodyOf(endpoint: Endpoint, schemas: Schemas): Shareable | null {
  const { body, rawBodyType, formField, isBodyOptional, method, example } = endpoint
  if (rawBodyType) {
    return { names: [nounOf(endpoint.path)], value: { required: true, content: rawContent(rawBodyType, formField) } }
  }
  if (!body) return null
  const schema = schemas.refer(body as JsonSchema)
  const made = method === 'PATCH' ? patchExampleOf(body as JsonSchema) : exampleOf(body as JsonSchema)
  const content = { [json]: { schema, example: example.body ?? made } }
  return { names: [nameIn(schema) ?? pascal(operationId(endpoint))], value: { required: !isBodyOptional, content } }
}

function successOf(endpoint: Endpoint, schemas: Schemas): Shareable {
  const { reply, alsoReplies } = endpoint
  const isChange = endpoint.effect === 'configuration'
  const schema = reply && schemas.refer(reply as JsonSchema)
  const example = reply && { example: endpoint.example.reply ?? exampleOf(reply as JsonSchema) }
  const content = {
    ...(schema ? { [json]: { schema: isChange ? { anyOf: [schema, dryRun] } : schema, ...example } } : {}),
    ...Object.fromEntries(alsoReplies.map((type) => [type, { schema: { type: 'string' } }])),
  }
  const value = {
    description: isChange ? 'Done; with dry_run=true a DryRun, and nothing is changed.' : 'Done.',
    ...(isChange ? { headers: changeHeaderRefs } : {}),
    ...(reply || alsoReplies.length > 0 ? { content } : {}),
    ...(isChange && !reply ? { content: { [json]: { schema: dryRun } } } : {}),
  }
  const noReply = isChange ? 'Changed' : 'Done'
  // Files of the reference: each has its own form.
  if (!reply && alsoReplies.length > 0) return { names: [pascal(operationId(endpoint))], value }
  return { names: reply ? [nameIn(schema) ?? nounOf(endpoint.path), pascal(operationId(endpoint))] : [noReply], value }
}

const dryRun = { $ref: '#/components/schemas/DryRun' }

/** The name of the schema, or of what it lists. */
function nameIn(schema: unknown): string | undefined {
  const { $ref, items } = schema as { readonly $ref?: string; readonly items?: { readonly $ref?: string } }
  return $ref?.split('/').at(-1) ?? (items?.$ref && `${items.$ref.split('/').at(-1)}List`)
}

function parametersOf(endpoint: Endpoint, schemas: Schemas): Shareable[] {
  const { params, path } = endpoint
  const inPath = params.map((name) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
    example: exampleOf({ type: 'string' }, name.endsWith('_id') ? 'id' : name),
  }))
  const changing = endpoint.effect === 'configuration' ? changeParameters : []
  return [...inPath, ...queryParameters(endpoint, schemas), ...changing].map((value) => {
    const name = pascal(value.name.replace('Portcullis-', ''))
    return { names: [name, nounOf(path) + name], value }
  })
}

function queryParameters({ query }: Endpoint, schemas: Schemas) {
  const required = new Set(query.required as readonly string[] | undefined)
  return Object.entries(query.properties as Record<string, JsonSchema>).map(([name, schema]) => {
    const example = exampleOf(schema, name)
    const form = { schema: schemas.refer(jsonValueOf(schema)), example }
    return {
      name,
      in: 'query',
      ...(required.has(name) ? { required: true } : {}),
      ...('x-json-text' in schema ? { content: { [json]: form } } : form),
    }
  })
}

const changeParameters = [
  {
    name: 'dry_run',
    in: 'query',
    schema: { type: 'boolean' },
    example: true,
    description: 'Answer what would change, and change nothing.',
  },
  {
    name: 'cut_connections',
    in: 'query',
    schema: { type: 'boolean' },
    example: true,
    description: 'Cut the live connections that were let through before the change and are refused after it.',
  },
  {
    name: 'Portcullis-Confirm-Within',
    in: 'header',
    schema: { type: 'integer', minimum: 1, maximum: 3600 },
    example: 60,
    description: 'Revert the change after this many seconds unless POST /config/confirm is called before.',
  },
  {
    name: 'Portcullis-Reason',
    in: 'header',
    schema: { type: 'string', maxLength: 255 },
    example: 'as agreed',
    description: 'Kept with the revision.',
  },
  {
    name: 'If-Match',
    in: 'header',
    schema: { type: 'string' },
    example: '"firewall.settings-42"',
    description: 'ETag of the list or settings as you read it; 412 when it was changed since.',
  },
]

const changeHeaders = {
  'Portcullis-Revision': { schema: { type: 'integer' }, description: 'The newest revision of the configuration.' },
  'Portcullis-Reverted': {
    schema: { type: 'integer' },
    description: 'Revision on probation of a lesser role that was reverted to make room for this change.',
  },
  'Portcullis-Confirm-Before': {
    schema: { type: 'string' },
    description: 'Only for a change on probation: when it is reverted.',
  },
  'X-Cut-Connections': {
    schema: { type: 'integer' },
    description: 'Only with cut_connections=true: how many connections were cut.',
  },
  'X-Cut-Connections-Warning': {
    schema: { type: 'string' },
    description: 'What was not cut although it should have been, or could not be judged.',
  },
  ETag: { schema: { type: 'string' }, description: 'Of the list or settings, for If-Match.' },
}

const changeHeaderRefs = Object.fromEntries(
  Object.keys(changeHeaders).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
)

/** get_firewall_settings: stable and readable, because generated clients call it. */
export const operationId = (endpoint: Endpoint): string =>
  nameOf(endpoint)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')

/** Endpoints whose answer is a list of status items; the CLI and the console gather them. */
export function isStatusEndpoint(endpoint: Endpoint): boolean {
  const items = (endpoint.reply as { items?: { properties?: { status?: { enum?: readonly string[] } } } } | null)?.items
  return endpoint.method === 'GET' && items?.properties?.status?.enum?.length === statusValues.length
}

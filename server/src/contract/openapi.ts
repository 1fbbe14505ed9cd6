// The OpenAPI 3.1 document, made from the endpoints. Pure: the same endpoints give the same bytes, and the copy in the
// repository shows every change of the interface in review.

import { accessTable } from './access.ts'
import { type Endpoint, nameOf } from './endpoint.ts'
import { statusValues } from './fields.ts'

export interface AreaEndpoints {
  readonly name: string
  readonly endpoints: readonly Endpoint[]
}

const jsonOf = (schema: unknown) => ({ 'application/json': { schema } })
const bytes = { type: 'string', format: 'binary' }

/** The bytes themselves, or a form with them in one field. */
const rawContent = (mediaType: string, formField: string | null) => ({
  [mediaType]: {
    schema: formField === null ? bytes : { type: 'object', properties: { [formField]: bytes }, required: [formField] },
  },
})

export function openApi(areas: readonly AreaEndpoints[], version: string): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const area of areas) {
    for (const endpoint of area.endpoints) {
      const path = endpoint.path.replaceAll(/:([a-z_]+)/g, '{$1}')
      paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operation(area.name, endpoint) }
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Network security gateway',
      version,
      description:
        'Management interface, release line v19. Every call except the sign-in needs both cookies of the sign-in. ' +
        'Bodies are JSON whatever the Content-Type says; unknown fields are refused.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    tags: areas.filter((area) => area.endpoints.length > 0).map(({ name }) => ({ name })),
    paths: Object.fromEntries(Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1))),
    components: { schemas: { Error: errorSchema, DryRun: dryRunSchema }, securitySchemes },
  }
}

const securitySchemes = {
  session: { type: 'apiKey', in: 'cookie', name: 'insecure-<brand>-session' },
  secure: { type: 'apiKey', in: 'cookie', name: '__Secure-<brand>-<uuid>' },
}

const errorSchema = {
  type: 'object',
  required: ['code', 'message', 'request_id'],
  properties: {
    code: { type: 'string' },
    message: { type: 'string', description: 'For the administrator.' },
    problems: {
      type: 'array',
      description: 'Every fault, with its field.',
      items: {
        type: 'object',
        required: ['field', 'message'],
        properties: { field: { type: 'string' }, message: { type: 'string' } },
      },
    },
    request_id: { type: 'string' },
  },
}

const dryRunSchema = {
  type: 'object',
  description: 'What a change with dry_run=true would do.',
  required: ['dry_run', 'changes', 'artifacts', 'unchecked'],
  properties: {
    dry_run: { const: true },
    changes: { type: 'array', items: { type: 'object' }, description: 'Objects with their fields before and after.' },
    artifacts: {
      type: 'array',
      items: { type: 'object' },
      description: 'Lines removed from and added to rendered files.',
    },
    unchecked: { type: 'array', items: { type: 'string' }, description: 'What could not be checked on this machine.' },
  },
}

function operation(area: string, endpoint: Endpoint): Record<string, unknown> {
  const isChange = endpoint.effect === 'configuration'
  return {
    operationId: operationId(endpoint),
    tags: [area],
    summary: endpoint.summary,
    ...(endpoint.description ? { description: endpoint.description } : {}),
    'x-access': endpoint.access,
    'x-roles': endpoint.access === 'public' ? [] : accessTable[endpoint.access],
    security: endpoint.access === 'public' ? [] : [{ session: [], secure: [] }],
    parameters: [
      ...endpoint.params.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } })),
      ...queryParameters(endpoint),
      ...(isChange ? changeParameters : []),
    ],
    ...(endpoint.body ? { requestBody: { required: true, content: jsonOf(endpoint.body) } } : {}),
    ...(endpoint.rawBodyType
      ? { requestBody: { required: true, content: rawContent(endpoint.rawBodyType, endpoint.formField) } }
      : {}),
    responses: {
      200: {
        description: isChange ? 'Done; with dry_run=true a DryRun.' : 'Done.',
        ...(isChange ? { headers: changeHeaders } : {}),
        ...(endpoint.reply ? { content: replyContent(endpoint) } : {}),
      },
      default: { description: 'Refused or failed.', content: jsonOf({ $ref: '#/components/schemas/Error' }) },
    },
  }
}

const replyContent = (endpoint: Endpoint) => ({
  ...jsonOf(endpoint.reply),
  ...Object.fromEntries(endpoint.alsoReplies.map((type) => [type, { schema: { type: 'string' } }])),
})

function queryParameters(endpoint: Endpoint): unknown[] {
  const required = new Set(endpoint.query.required as readonly string[] | undefined)
  return Object.entries(endpoint.query.properties).map(([name, schema]) => {
    const { 'x-json-text': isJson, ...plain } = schema as Record<string, unknown>
    const form = isJson ? { content: jsonOf(plain) } : { schema: plain }
    return { name, in: 'query', required: required.has(name), ...form }
  })
}

const changeParameters = [
  {
    name: 'dry_run',
    in: 'query',
    required: false,
    schema: { type: 'boolean' },
    description: 'Report what would change without changing anything.',
  },
  {
    name: 'Portcullis-Confirm-Within',
    in: 'header',
    required: false,
    schema: { type: 'integer', minimum: 1, maximum: 3600 },
    description: 'Revert the change after this many seconds unless POST /config/confirm comes first.',
  },
  {
    name: 'Portcullis-Reason',
    in: 'header',
    required: false,
    schema: { type: 'string', maxLength: 255 },
    description: 'Kept with the revision.',
  },
  {
    name: 'If-Match',
    in: 'header',
    required: false,
    schema: { type: 'string' },
    description: 'ETag of the list or settings; 412 when they were changed since.',
  },
]

const changeHeaders = {
  'Portcullis-Revision': { schema: { type: 'integer' }, description: 'The newest revision of the configuration.' },
  'Portcullis-Confirm-Before': {
    schema: { type: 'string' },
    description: 'Only for a change on probation: when it is reverted.',
  },
  ETag: { schema: { type: 'string' } },
}

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

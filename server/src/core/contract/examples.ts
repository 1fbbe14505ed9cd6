// Example values made from schemas, for the OpenAPI document and the tests. Pure and deterministic: the same schema and
// field name give the same value. An `examples` entry of a schema wins over what is made here.

/** The keywords that are read here; a schema may have others. */
export interface JsonSchema {
  readonly [keyword: string]: unknown
  readonly title?: string
  readonly type?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly examples?: readonly unknown[]
  readonly anyOf?: readonly JsonSchema[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly items?: JsonSchema
  readonly minItems?: number
  readonly maxItems?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly pattern?: string
  readonly 'x-synonym-of'?: string
  readonly 'x-neutral'?: boolean
}

/** Texts of the forms that fields ask for; the first that fits is taken. */
export const texts: readonly string[] = [
  '192.168.1.10',
  '192.168.1.0/24',
  '192.168.1.10/24',
  '02:00:00:00:00:01',
  'gateway.example',
  'https://gateway.example/',
  'anna@gateway.example',
  'gateway.example|mail.gateway.example',
  '08:00',
  '2026-01-31',
  '1',
  '443',
  '/rest',
  '192.168.1.10-192.168.1.100',
  'ip.id.1',
  'port.id.1',
  'time_range.id.1',
  'iplist.id.276',
  'zone.id.1',
  'interface.id.1',
  'users.id.1',
  'group.id.1',
  'id.l7.dns',
  '+12025550123',
  'f3ffde22-a562-4f43-ac04-c40fcec6a88c',
  'security_group.guid.6f9619ff-8b86-d011-b42d-00cf4fc964ff',
  '01234567-01234567-01234567-01234567-01234567-01234567-01234567-01234567',
]

/** What a reader expects in a field of this name; used where it fits the schema. */
const knownFields: Readonly<Record<string, readonly unknown[]>> = {
  id: ['1', 1],
  name: ['Branch office', 'branch-office', 'office', 'gateway.example'],
  title: ['Branch office'],
  comment: ['Added for the branch office'],
  description: ['Added for the branch office'],
  login: ['anna'],
  user: ['anna'],
  user_login: ['anna'],
  password: ['correct-horse-Battery-9'],
  psw: ['correct-horse-Battery-9'],
  email: ['anna@gateway.example'],
  message: ['The service is running.'],
  msg: [[]],
  ip: ['192.168.1.10'],
  address: ['192.168.1.10', '192.168.1.0/24'],
  host: ['gateway.example', '192.168.1.10'],
  domain: ['gateway.example'],
  gateway: ['192.168.1.1'],
  netmask: ['255.255.255.0'],
  mac: ['02:00:00:00:00:01'],
  interface: ['interface.id.1', 'eth0'],
  incoming_interface: ['interface.external_any', 'any'],
  outgoing_interface: ['any'],
  port: [443],
  ports: [[443]],
  request_id: ['4f1c2a9be07d6358-1'],
  parent_id: ['f3ffde22-a562-4f43-ac04-c40fcec6a88c', 'group.id.1'],
  sources: [['any']],
  objects: [['any']],
  hip_profiles: [[]],
  dpi_profile: [''],
  ips_profile: ['__DEFAULT_IPS_PROFILE_ID__'],
  rule: ['alert tcp any any -> any any (msg:"Example"; sid:900001;)'],
  rest_path: ['/rest'],
  config: ['@ IN SOA ns.gateway.example. anna.gateway.example. 1 3600 600 86400 300\n@ IN NS ns\nns IN A 192.168.1.10'],
  relay: [null],
  search_filter: [''],
  categories: [[]],
  disabled_categories: [[]],
  exported_interfaces: [[]],
  redirect_url: [null],
  change_destination_address: [null],
  change_destination_port: [null],
  change_source_address: [null],
  aliases: [['any'], ['ip.id.1']],
  addresses: [['ip.id.1']],
  source_addresses: [['any']],
  destination_addresses: [['any']],
  source_ports: [['any']],
  destination_ports: [['any']],
  timetable: [['any']],
  revision: [42],
  version: ['19.1'],
  time: [1_767_225_600],
}

const fillers = ['example', 'example.1', 'Example', 'EXAMPLE']

/** Whether a value fits a schema that is not an object; objects are left to the validator of the tests. */
function fits(schema: JsonSchema, value: unknown): boolean {
  if (schema.anyOf) return schema.anyOf.some((option) => fits(option, value))
  if (schema.enum) return schema.enum.includes(value)
  switch (schema.type) {
    case 'string':
      return typeof value === 'string' && fitsText(schema, value)
    case 'integer':
    case 'number': {
      const { minimum = -Infinity, maximum = Infinity } = schema
      return typeof value === 'number' && value >= minimum && value <= maximum
    }
    case 'array': {
      const { minItems = 0, maxItems = Infinity, items = {} } = schema
      if (!Array.isArray(value) || value.length < minItems || value.length > maxItems) return false
      return value.every((item) => fits(items, item))
    }
    case 'null':
      return value === null
    default:
      return false
  }
}

function fitsText({ pattern, minLength = 0, maxLength = Infinity }: JsonSchema, text: string): boolean {
  return text.length >= minLength && text.length <= maxLength && (!pattern || new RegExp(pattern, 'u').test(text))
}

/** A value that fits. `field` is the name it has in the object around it. */
export function exampleOf(schema: JsonSchema, field = ''): unknown {
  if (schema.examples) return schema.examples[0]
  if (schema.const !== undefined) return schema.const
  const known = knownFields[field]?.find((value) => fits(schema, value))
  if (known !== undefined) return known
  if (schema.enum) return schema.enum[0]
  if (schema.anyOf) return exampleOf(schema.anyOf.find(({ type }) => type !== 'null') ?? {}, field)
  switch (schema.type) {
    case undefined:
      return {}
    case 'null':
      return null
    case 'boolean':
      return field === 'enabled'
    case 'integer':
    case 'number':
      return Math.min(Math.max(1, schema.minimum ?? 1), schema.maximum ?? Infinity)
    case 'array':
      return Array.from({ length: Math.min(schema.minItems || 1, schema.maxItems ?? Infinity) }, () =>
        exampleOf(schema.items ?? {}, field),
      )
    case 'object':
      return { ...objectExample(schema), ...mapExample(schema) }
    case 'string':
      return textExample(schema, field)
    default:
      throw new Error(`no example for ${JSON.stringify(schema)}`)
  }
}

/** Every field, but not a second word for one of them. */
const objectExample = ({ properties = {} }: JsonSchema): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(properties)
      .filter(([, inner]) => inner['x-synonym-of'] === undefined && inner['x-neutral'] === undefined)
      .map(([name, inner]) => [name, exampleOf(inner, name)]),
  )

const mapExample = ({ patternProperties = {} }: JsonSchema): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(patternProperties).map(([pattern, inner]) => [textExample({ pattern }, 'id'), exampleOf(inner)]),
  )

function textExample(schema: JsonSchema, field: string): string {
  const { minLength = 0, maxLength = Infinity } = schema
  const word = field || 'example'
  const padded = word.repeat(Math.ceil(Math.max(minLength, 1) / word.length)).slice(0, Math.min(maxLength, 10_000))
  const found = [...fillers, padded, ...texts, ''].find((text) => fitsText(schema, text))
  if (found === undefined) throw new Error(`add "examples" to the schema of ${field}: ${JSON.stringify(schema)}`)
  return found
}

/** A change of a part: the first fields of a whole one. */
export function patchExampleOf(schema: JsonSchema, fieldCount = 2): unknown {
  if (schema.examples) return schema.examples[0]
  return Object.fromEntries(Object.entries(objectExample(schema)).slice(0, fieldCount))
}

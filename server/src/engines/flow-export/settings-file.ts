// The settings file of the flow exporter: JSON with exactly these fields. The area prints it; the exporter reads it and accepts
// nothing else, because applyd does not look into it.

export interface FlowInterface {
  /** `netflow_index`. */
  readonly index: number
  /** The gateway's own addresses with their prefixes, or the networks behind it. */
  readonly networks: readonly string[]
  readonly isExternal: boolean
  readonly isExported: boolean
}

export interface FlowFile {
  readonly version: 5 | 9 | 10
  readonly address: string
  readonly port: number
  readonly activeSeconds: number
  /** Null with version 5. */
  readonly templatePackets: number | null
  readonly templateSeconds: number | null
  /** The gateway's own addresses. */
  readonly own: readonly string[]
  readonly interfaces: readonly FlowInterface[]
}

const interfaceFields = ['index', 'networks', 'isExternal', 'isExported'] as const satisfies (keyof FlowInterface)[]
const fields = [
  'version',
  'address',
  'port',
  'activeSeconds',
  'templatePackets',
  'templateSeconds',
  'own',
  'interfaces',
] as const

/** A list of keys makes the order of fields fixed. */
export const printFlowFile = (file: FlowFile): string => `${JSON.stringify(file, [...fields, ...interfaceFields], 2)}\n`

const addressForm = /^\d{1,3}(?:\.\d{1,3}){3}$/
const networkForm = /^\d{1,3}(?:\.\d{1,3}){3}\/\d{1,2}$/
const maxEntries = 4_096

/** The file, or what is wrong with it. */
export function parseFlowFile(text: string): FlowFile | string {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return 'It is not JSON.'
  }
  if (!hasExactly(value, fields)) return `It does not have exactly the fields ${fields.join(', ')}.`
  const { version, address, port, activeSeconds, templatePackets, templateSeconds, own, interfaces } = value
  if (version !== 5 && version !== 9 && version !== 10) return 'The version is not allowed.'
  if (!isForm(address, addressForm) || address === '0.0.0.0') return 'The address of the collector is not allowed.'
  if (!isNumber(port, 1, 65_535)) return 'The port is not allowed.'
  if (!isNumber(activeSeconds, 1, 3600)) return 'The interval is not allowed.'
  const isTemplate = (one: unknown, most: number): boolean => (version === 5 ? one === null : isNumber(one, 1, most))
  if (!isTemplate(templatePackets, 6000) || !isTemplate(templateSeconds, 86_400))
    return 'The templates are not allowed.'
  if (!isListOf(own, (one) => isForm(one, addressForm))) return 'The addresses are not allowed.'
  if (!isListOf(interfaces, isInterface)) return 'The interfaces are not allowed.'
  // Cast: each field was checked above.
  return value as unknown as FlowFile
}

const isInterface = (value: unknown): boolean =>
  hasExactly(value, interfaceFields) &&
  isNumber(value.index, 0, 65_535) &&
  typeof value.isExternal === 'boolean' &&
  typeof value.isExported === 'boolean' &&
  isListOf(value.networks, (one) => isForm(one, networkForm))

function hasExactly<K extends string>(value: unknown, names: readonly K[]): value is Record<K, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const own = Object.keys(value)
  return own.length === names.length && names.every((name) => own.includes(name))
}

const isForm = (value: unknown, form: RegExp): boolean => typeof value === 'string' && form.test(value)

const isNumber = (value: unknown, least: number, most: number): boolean =>
  Number.isInteger(value) && Number(value) >= least && Number(value) <= most

const isListOf = (value: unknown, isOne: (one: unknown) => boolean): boolean =>
  Array.isArray(value) && value.length <= maxEntries && value.every(isOne)

// What can be done to interfaces. Fields that a connection's type does not have are refused here, and every edit is held
// against the rules of verify.ts, so that faults carry the names of the fields that were sent.

import { invalid, type Problem, refuse } from '../../contract/error.ts'
import { secretMask } from '../../contract/fields.ts'
import { addItem, requireItem, updateItem } from '../../model/list-edits.ts'
import type { Sealed } from '../../model/secret.ts'
import { type Config, type Item, type ListSlot, read } from '../../model/slots.ts'
import { aggregated, type Connection, connections, spans, tunnels, vceConnections } from './config.ts'
import {
  type Aggregated,
  type ConnectionPatch,
  type ConnectionType,
  fieldsOf,
  type NewAggregated,
  type NewConnection,
  type NewSpan,
  type NewTunnel,
  type NewVceConnection,
  type Span,
  type Tunnel,
} from './contract.ts'
import {
  aggregatedRules,
  connectionConflicts,
  connectionProblems,
  type Rules,
  spanRules,
  tunnelRules,
  vceRules,
} from './verify.ts'

/** Turns the clear text into what is stored; the vault binds it to the connection. */
export type SealPassword = (password: string, connectionId: number) => Sealed

const what = 'connection'
const maxPppTitle = 42

export function addConnection(config: Config, id: number, fields: NewConnection, seal: SealPassword): Config {
  const { required } = fieldsOf[fields.type]
  const missing = required.filter((name) => !(name in fields)).map((field) => problem(field, 'This field is missing.'))
  refuse([...missing, ...typeProblems(fields.type, fields)])
  if (fields.password === secretMask) throw invalid('password', 'Must be the password itself.')
  const { password, ...rest } = fields
  const made = {
    ...fieldsOf[fields.type].defaults,
    ...rest,
    id,
    ...(password === undefined ? {} : { password: seal(password, id) }),
    ...(fields.type === 'loopback' ? { osdevname: `Oloopback${id}` } : {}),
  } as unknown as Connection
  const next = addItem(config, connections, made)
  refuse(connectionProblems(next, made))
  refuse([...takenCard(config, made), ...connectionConflicts(next, made)], 'conflict')
  return next
}

export function updateConnection(config: Config, id: string, patch: ConnectionPatch, seal: SealPassword): Config {
  const current = requireItem(config, connections, id, what)
  refuse([...fixedProblems(current, patch), ...typeProblems(current.type, patch)])
  const { password, ...rest } = patch
  const isNewPassword = typeof password === 'string' && password !== secretMask
  const made = {
    ...current,
    ...rest,
    ...(isNewPassword ? { password: seal(password, current.id) } : {}),
  } as Connection
  const next = updateItem(config, connections, made)
  refuse(connectionProblems(next, made))
  refuse([...(made.mac === current.mac ? [] : takenCard(config, made)), ...connectionConflicts(next, made)], 'conflict')
  return next
}

/** What is sent back unchanged with the rest is no change. */
function fixedProblems(current: Connection, patch: ConnectionPatch): Problem[] {
  const before = new Map<string, unknown>(Object.entries(current))
  return (['id', 'type', 'osdevname'] as const)
    .filter((field) => patch[field] !== undefined && before.has(field) && patch[field] !== before.get(field))
    .map((field) => problem(field, `The ${field} of a connection cannot be changed.`))
}

/** An aggregated interface may take a card in use; the other way round is refused. */
function takenCard(config: Config, { mac }: Connection): Problem[] {
  const holder = mac === null ? undefined : read(config, aggregated).find(({ nics }) => nics.includes(mac))
  return holder ? [problem('mac', `The card belongs to the aggregated interface “${holder.title}”.`)] : []
}

const problem = (field: string, message: string): Problem => ({ field, message })

/** What a loopback interface has only for the sake of one shape. */
const fixedOnLoopback: Readonly<Record<string, unknown>> = { mac: null, vlan_tag: null, zone: null, is_vce_vlan: false }

/** Faults of the fields that were sent, against the type alone. */
function typeProblems(type: ConnectionType, fields: ConnectionPatch): Problem[] {
  const { required, defaults } = fieldsOf[type]
  const readOnly = type === 'loopback' ? ['id', 'osdevname'] : ['id']
  const known = new Set(['type', 'title', 'enabled', ...readOnly, ...required, ...Object.keys(defaults)])
  const strangers = Object.keys(fields).filter((name) => !known.has(name))
  const isPpp = type === 'pptp' || type === 'l2tp' || type === 'pppoe'
  return [
    ...strangers.map((field) => problem(field, `A connection of the type ${type} does not have this field.`)),
    ...(isPpp && [...(fields.title ?? '')].length > maxPppTitle
      ? [problem('title', `Must have at most ${maxPppTitle} characters.`)]
      : []),
    ...(type === 'loopback'
      ? Object.entries(fixedOnLoopback)
          .filter(([field, value]) => field in fields && fields[field as keyof ConnectionPatch] !== value)
          .map(([field, value]) => problem(field, `Must be ${value} for a loopback interface.`))
      : fields.mac === null
        ? [problem('mac', 'Must be the MAC of a card or the id of an aggregated interface.')]
        : []),
  ]
}

/** Adds, or takes the place of the one with the same id, and holds the result against the rules. */
function put<T extends Item>(
  config: Config,
  slot: ListSlot<T>,
  item: T,
  isNew: boolean,
  { problems, conflicts }: Rules<T>,
): Config {
  const next = isNew ? addItem(config, slot, item) : updateItem(config, slot, item)
  refuse(problems(next, item))
  refuse(conflicts(next, item), 'conflict')
  return next
}

export const addAggregated = (config: Config, id: string, fields: NewAggregated): Config =>
  put<Aggregated>(config, aggregated, { ...fields, id }, true, aggregatedRules)

export function replaceAggregated(config: Config, id: string, fields: NewAggregated): Config {
  const current = requireItem(config, aggregated, id, 'aggregated interface')
  return put<Aggregated>(config, aggregated, { ...fields, id: current.id }, false, aggregatedRules)
}

/** `number` is never used twice, so neither is a name of a device. */
export const addTunnel = (config: Config, id: string, number: number, fields: NewTunnel): Config =>
  put(config, tunnels, tunnelOf(id, `Gre${String(number).padStart(8, '0')}`, fields), true, tunnelRules)

export function replaceTunnel(config: Config, id: string, fields: NewTunnel): Config {
  const current = requireItem(config, tunnels, id, 'GRE tunnel')
  return put(config, tunnels, tunnelOf(current.id, current.osdevname, fields), false, tunnelRules)
}

const tunnelOf = (id: string, osdevname: string, fields: NewTunnel): Tunnel => ({
  local_ip: null,
  ...fields,
  id,
  osdevname,
})

export const addVce = (config: Config, id: string, fields: NewVceConnection): Config =>
  put(config, vceConnections, { ...fields, id }, true, vceRules)

export const addSpan = (config: Config, id: string, osdevindex: number, fields: NewSpan): Config =>
  put<Span>(config, spans, { ...fields, id, osdevindex }, true, spanRules)

export function updateSpan(config: Config, id: string, patch: Partial<NewSpan>): Config {
  const current = requireItem(config, spans, id, 'mirror interface')
  return put<Span>(config, spans, { ...current, ...patch }, false, spanRules)
}

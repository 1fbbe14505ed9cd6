// What stays open from outside when the firewall begins to drop what comes from there: at the first start the ports of SSH
// through which someone is connected at that moment, at the first set-up that of its administrator, and in the state of an
// earlier release, which accepted everything, the management service as well. They become INPUT rules, so that no one is locked
// out and everyone sees them. Pure.

import type { EditTools } from '../../core/config/change.ts'
import { addItem } from '../../core/model/list-edits.ts'
import { addTo } from '../../core/model/lists.ts'
import { type Config, read } from '../../core/model/slots.ts'
import type { Facts } from '../../core/plan/facts.ts'
import type { FirstSetup } from '../network/contract.ts'
import { connections, externalDevices, type SetUp, setUp } from '../network/public.ts'
import { ports } from '../objects/public.ts'
import { inputRules } from './config.ts'
import type { FilterRule } from './contract-rules.ts'
import { ruleLists } from './lists.ts'

export interface OpenEnd {
  readonly address: string
  readonly port: number
}

const anywhere = ['0.0.0.0', '::']

/** Those ports that external interfaces reach, in their order. */
export function exposedPorts(config: Config, facts: Facts, ends: readonly OpenEnd[]): readonly number[] {
  const external = externalDevices(config, facts)
  const own = new Set(
    facts.interfaces
      .filter(({ name }) => external.includes(name))
      .flatMap(({ addresses }) => addresses.map((text) => text.split('/')[0])),
  )
  const exposed = ends.filter(({ address }) => own.has(address) || (own.size > 0 && anywhere.includes(address)))
  return [...new Set(exposed.map(({ port }) => port))].sort((a, b) => a - b)
}

const firstStart =
  'Kept open from outside, because it was in use when the firewall began to drop what comes from there.'
const firstSetUp =
  'Kept open from outside by the first set-up, because an administrator was connected through this port over SSH.'

/** With an INPUT rule for each port that has none yet. */
export const keepOpen = (config: Config, tools: Pick<EditTools, 'nextId'>, open: readonly number[]): Config =>
  open.reduce((current, port) => keepPort(current, tools, port, firstStart), config)

/** Both connections and the port of SSH in one edit: a card that becomes an outside one drops new connections from then on. */
export function setUpBehindFirewall(
  config: Config,
  { keep_ssh_port: port = null, ...body }: FirstSetup,
  tools: Pick<EditTools, 'nextId' | 'referencesTo'>,
): readonly [Config, SetUp] {
  const [connected, ids] = setUp(config, body, () => tools.nextId(connections), tools)
  return [port === null ? connected : keepPort(connected, tools, port, firstSetUp), ids]
}

const incoming = 'interface.external_any'

function keepPort(config: Config, tools: Pick<EditTools, 'nextId'>, port: number, comment: string): Config {
  const known = read(config, ports).find(({ value }) => value === port)
  const isKept = read(config, inputRules).some(
    (rule) => known !== undefined && rule.destination_ports.includes(known.id) && isOpenToAll(rule),
  )
  if (isKept) return config
  const object = known ?? { id: `port.id.${tools.nextId(ports)}`, title: `Port ${port}`, comment: '', value: port }
  return addTo(known ? config : addItem(config, ports, object), ruleLists.input, tools.nextId(inputRules), {
    action: 'accept',
    protocol: 'protocol.tcp',
    destination_ports: [object.id],
    incoming_interface: incoming,
    comment,
  })
}

/** A rule that is switched off, drops, or accepts only some of them lets no one in for certain. */
const isOpenToAll = (rule: FilterRule): boolean =>
  rule.enabled &&
  rule.action === 'accept' &&
  ['any', 'protocol.tcp'].includes(rule.protocol) &&
  ['any', incoming].includes(rule.incoming_interface) &&
  [rule.source_addresses, rule.source_ports, rule.destination_addresses, rule.timetable].every(
    (names) => names.join() === 'any',
  ) &&
  rule.hip_profiles.length === 0

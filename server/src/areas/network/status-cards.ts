// The cards of the machine and who uses them. Where the machine cannot be asked, the reply says why.

import type { Services } from '../../core/area/handle.ts'
import { type Config, read } from '../../core/model/slots.ts'
import { machineFault } from '../../core/plan/observed.ts'
import { say } from '../../shared/said.ts'
import { aggregated, connections } from './config.ts'
import type { MachineCard } from './contract-cards.ts'
import { type CardFact, parseCards } from './runs/facts.ts'

const unreadable = say`The devices of the machine are not listed in a form that the gateway reads.`

export interface MachineCards {
  readonly cards: MachineCard[]
  readonly reason: string
}

export async function machineCards(
  config: Config,
  { applier, observe }: Pick<Services, 'applier' | 'observe'>,
): Promise<MachineCards> {
  // Where nothing is applied the devices are those of a machine that the gateway does not manage.
  const fault = machineFault(await observe())
  if (fault) return { cards: [], reason: fault.msg.join(' ') }
  try {
    return { cards: withConnections(config, parseCards(await applier.devices())), reason: '' }
  } catch (error) {
    const isForeign = error instanceof SyntaxError || error instanceof TypeError
    return { cards: [], reason: isForeign ? unreadable : (error as Error).message }
  }
}

export function withConnections(config: Config, cards: readonly CardFact[]): MachineCard[] {
  const all = read(config, connections)
  return cards.map(({ name, mac, hasCarrier, bus }) => {
    const holder = read(config, aggregated).find(({ enabled, nics }) => enabled && nics.includes(mac))
    const base = holder?.id ?? mac
    const using = all.filter((one) => one.mac === base)
    const connection = using.find((one) => one.vlan_tag === null) ?? using[0]
    return {
      name,
      mac,
      has_carrier: hasCarrier,
      bus,
      connection: connection ? { id: connection.id, title: connection.title } : null,
    }
  })
}

// The way of inspected connections to the queues of the engine: its entries are channels.

import { type InspectedChannel, inspection } from '../../../core/plan/inspection-marks.ts'
import { parseCount, parseKeys, parseList, parseOneOf, Refusal } from '../../kit/values.ts'
import type { Way } from '../../kit/ways.ts'
import { inspectionWay as name } from '../observed.ts'
import { ownTable } from './queue-rules.ts'
import { Queues } from './queues.ts'

export const inspectionWay: Way<InspectedChannel> = {
  name,
  title: 'The way to the inspection engine',
  tables: [ownTable],
  parse: parseChannels,
  create: ({ nft }) => {
    const queues = new Queues(nft)
    return {
      isCurrent: (channels) => queues.isCurrent(channels ?? []),
      /** Channels that go stay until the rules no longer lead to them. */
      open: async (channels, before) => {
        if (channels.length === 0) return
        const wanted = new Set(channels.map(({ number }) => number))
        const going = (before ?? []).filter(({ number }) => !wanted.has(number))
        await queues.apply([...going, ...channels].toSorted((one, other) => one.number - other.number))
      },
      close: (channels) => queues.ensure(channels ?? []),
      ensure: (channels) => queues.ensure(channels ?? []),
      observe: () => queues.observe(),
    }
  },
}

/** By number, in rising order, so that none is named twice. */
function parseChannels(value: readonly unknown[]): readonly InspectedChannel[] {
  const all = parseList(value, inspection.mostChannels, 'channels', (item) => {
    const { number, isFailOpen, isReady } = parseKeys(item, ['number', 'isFailOpen', 'isReady'])
    return {
      number: parseCount(number, 'number', inspection.mostChannels),
      isFailOpen: parseOneOf(isFailOpen, [true, false], 'state of a channel'),
      isReady: parseOneOf(isReady, [true, false], 'state of a channel'),
    }
  })
  if (all.some(({ number }, at) => number <= (all[at - 1]?.number ?? 0)))
    throw new Refusal('The channels are not in the order of their numbers.')
  return all
}

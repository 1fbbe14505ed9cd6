// The operations that have a budget. Each leaves the state as large as it found it.

import { ApiClient } from '../../server/test/support/api-client.ts'
import { zoneText } from '../dns/zones.ts'
import { adminPassword } from '../state.ts'
import type { CountedGateway } from './gateway.ts'
import { records } from './state.ts'

export interface Operation {
  readonly name: string
  /** Counted only where the gateway has a data plane. */
  readonly needsLab: boolean
  /** Answers of a bare server that are made for each round, to compare with. */
  readonly bare: number
  /** How often it is done before anything is counted, how many rounds are counted, and how often it is done in one. */
  readonly warmUps: number
  readonly rounds: number
  readonly each: number
  /** Whether it is done often enough that the runtime has settled: then its processor time is steady. */
  readonly isHot: boolean
  readonly run: (gateway: CountedGateway) => Promise<unknown>
  /** Takes back what `run` has made, uncounted. */
  readonly undo?: (gateway: CountedGateway, made: unknown) => Promise<unknown>
}

const idOf = (made: unknown): string => String((made as { readonly id: string | number }).id)

/** What is made again and again needs another name each time. */
let serial = 0

const read = { needsLab: false, isHot: true } as const
const change = { bare: 20, each: 1, isHot: false } as const

const rule = {
  action: 'accept',
  protocol: 'protocol.tcp',
  source_addresses: ['any'],
  destination_addresses: ['any'],
  destination_ports: ['any'],
}

export const operations: readonly Operation[] = [
  {
    ...read,
    name: 'settings GET',
    bare: 40,
    warmUps: 600,
    rounds: 25,
    each: 40,
    run: (gateway) => gateway.get('/firewall/settings'),
  },
  {
    ...read,
    name: 'list of 1,000',
    bare: 30,
    warmUps: 60,
    rounds: 15,
    each: 10,
    run: (gateway) => gateway.get('/web/admins/local'),
  },
  {
    ...change,
    name: 'one firewall rule',
    needsLab: true,
    warmUps: 3,
    rounds: 9,
    run: ({ api }) => api.ok('POST', '/firewall/rules/forward?anchor_item_id=50&insert_after=true', rule),
    undo: ({ api }, made) => api.ok('DELETE', `/firewall/rules/forward/${idOf(made)}`),
  },
  {
    ...change,
    name: 'one DNS record',
    needsLab: true,
    warmUps: 2,
    rounds: 9,
    run: ({ api, state }) =>
      api.ok('PATCH', `/dns/zones/master/${state.zone}`, { config: zoneText(records, ++serial) }),
  },
  {
    ...change,
    name: 'one user',
    needsLab: false,
    warmUps: 1,
    rounds: 8,
    run: ({ api }) =>
      api.ok('POST', '/user_backend/users', {
        name: `User ${++serial}`,
        login: `user-${serial}`,
        parent_id: 'group.id.1',
        comment: '',
        psw: 'correct horse 92',
      }),
    undo: ({ api }, made) => api.ok('DELETE', `/user_backend/users/${idOf(made)}`),
  },
  {
    ...change,
    name: 'sign-in',
    needsLab: false,
    warmUps: 1,
    rounds: 8,
    run: async ({ lab }) => {
      const client = new ApiClient(lab.address)
      await client.signIn('admin', adminPassword)
      client.close()
    },
  },
]

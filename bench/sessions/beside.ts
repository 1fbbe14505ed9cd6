// What everything else costs beside many sessions: changes of the configuration, the list of sessions, a restart of gatewayd,
// memory, and hosts that all appear at once. Two gateways with the same users, with few and with many sessions, take turns.

import { ApiClient } from '../../server/test/support/api-client.ts'
import { until } from '../../server/test/support/until.ts'
import { rulesPath } from '../firewall/gateway.ts'
import { memoryOf } from '../memory.ts'
import { adminPassword } from '../state.ts'
import { against, aimed, grouped, median, milliseconds, plain, type Row, within } from '../table.ts'
import type { SessionGateway } from './gateway.ts'
import { loginOf } from './state.ts'

export interface Sides {
  readonly small: SessionGateway
  readonly large: SessionGateway
  /** Of the small and the large gateway. */
  readonly few: number
  readonly many: number
}

const sessionsPath = '/monitor_backend/auth_sessions'
/** Looks at no session, or at those that it concerns. */
const mostTimesFew = 1.5
const mostWaitMs = 100

type Change = (gateway: SessionGateway, round: number) => Promise<number>

const filter = { action: 'accept', protocol: 'any', source_addresses: ['any'], destination_addresses: ['any'] }

/** One rule of the firewall added and deleted. */
async function changeFilter({ api }: SessionGateway, fields: object = {}): Promise<number> {
  const begun = performance.now()
  const { id } = await api.call('POST', rulesPath, { ...filter, ...fields })
  await api.call('DELETE', `${rulesPath}/${id}`)
  return performance.now() - begun
}

const changesWith = (group: string): readonly (readonly [what: string, run: Change, isAimed: boolean])[] => [
  ['a firewall rule without users added and deleted', (gateway) => changeFilter(gateway), true],
  [
    'a firewall rule with one more user added and deleted',
    (gateway) => changeFilter(gateway, { source_addresses: ['user.id.7'] }),
    true,
  ],
  [
    'a user changed',
    ({ api }, round) =>
      api.time('PUT', '/user_backend/users/7', {
        name: 'User number 7',
        login: loginOf(7),
        parent_id: 1,
        comment: `round ${round}`,
        enabled: false,
        phone_number: null,
        domain_type: 'local',
        domain_name: '',
        ldap_guid: '',
      }),
    true,
  ],
  [
    'an authorization rule added and deleted, among 20,000',
    async ({ api }, round) => {
      const begun = performance.now()
      const mac = `02:41:00:00:00:${(16 + round).toString(16)}`
      const fields = { enabled: true, ip: null, mac, user_id: 9, always_logged: false, comment: '' }
      const { id } = await api.call('POST', '/auth/rules', fields)
      await api.call('DELETE', `/auth/rules/${id}`)
      return performance.now() - begun
    },
    true,
  ],
  [
    'authorization turned off and on',
    async ({ api }) => {
      const set = (allow_internet_to_everyone: boolean) =>
        api.time('PATCH', '/auth/settings', { allow_internet_to_everyone })
      return (await set(true)) + (await set(false))
    },
    true,
  ],
  // Whether a session is in that group is looked up for each of them.
  [
    'a firewall rule with one more group added and deleted',
    (gateway) => changeFilter(gateway, { source_addresses: [group] }),
    false,
  ],
]

export async function besideRows(sides: Sides, rounds: number): Promise<Row[]> {
  const { small, large, few, many } = sides
  // The same number on both sides.
  let group = ''
  for (const { api } of [small, large])
    group = `group.id.${(await api.call('POST', '/user_backend/groups', { name: 'Group', parent_id: 1 })).id}`
  const beside = `beside ${grouped(many)} sessions`
  const rows: Row[] = []
  for (const [what, run, isAimed] of changesWith(group)) {
    const times = { small: [] as number[], large: [] as number[] }
    for (let round = -2; round < rounds; round++) {
      const [one, other] = [await run(small, round + 2), await run(large, round + 2)]
      if (round < 0) continue
      times.small.push(one)
      times.large.push(other)
    }
    const compared = [`${what}, ${beside}`, median(times.large), median(times.small), `beside ${few}`] as const
    rows.push(isAimed ? within(...compared, mostTimesFew) : against(...compared))
  }
  return [...rows, ...(await listRows(large, many)), ...memoryRows(sides), ...(await restartRows(sides))]
}

/** The whole list, while another client asks for something small again and again. */
async function listRows({ api }: SessionGateway, many: number): Promise<Row[]> {
  const other = await api.join()
  const [lists, waits, alone]: number[][] = [[], [], []]
  let isRunning = true
  let isListing = false
  const asking = (async () => {
    while (isRunning) {
      const list = isListing ? waits : alone
      list?.push(await other.time('GET', '/firewall/settings'))
    }
  })()
  for (let round = 0; round < 5; round++) {
    isListing = true
    lists?.push(await api.time('GET', sessionsPath))
    isListing = false
    await other.time('GET', '/firewall/settings')
  }
  isRunning = false
  await asking
  other.leave()
  const longest = Math.max(...(waits ?? []))
  return [
    plain(`list of ${grouped(many)} sessions`, milliseconds(median(lists ?? []))),
    aimed(
      {
        ...plain('another request meanwhile: longest', milliseconds(longest)),
        raw: `${milliseconds(median(waits ?? []))} usual, ${milliseconds(median(alone ?? []))} without the list`,
      },
      `below ${mostWaitMs} ms`,
      longest < mostWaitMs,
    ),
  ]
}

function memoryRows({ small, large, few, many }: Sides): Row[] {
  const [own, other] = [large, small].map(({ lab }) => {
    const { gatewayd, applyd } = lab.pids()
    return memoryOf([gatewayd, applyd]).proportional
  })
  return [
    {
      ...plain(`memory of gatewayd and applyd, ${grouped(many)} sessions`, `${own?.toFixed(0)} MB Pss`),
      raw: `${other?.toFixed(0)} MB Pss with ${few}`,
      ratio: (own ?? 0) / (other ?? 1),
    },
  ]
}

/** Killed, and back: until it answers, and until the kernel was compared with the sessions. */
async function restart({ lab }: SessionGateway, expected: number) {
  const { gatewayd } = lab.pids()
  const begun = performance.now()
  process.kill(gatewayd, 'SIGKILL')
  const client = new ApiClient(lab.address)
  await until('gatewayd answers', async () => {
    try {
      return lab.pids().gatewayd !== gatewayd && (await client.call('GET', '/web/whoami')).status > 0
    } catch {
      return false
    }
  })
  const answered = performance.now() - begun
  await client.signIn('admin', adminPassword)
  await until('the kernel was compared', async () => {
    const { body } = await client.call('GET', '/auth/status')
    return body.some(({ name, status }: { name: string; status: string }) => name === 'kernel' && status === 'active')
  })
  const compared = performance.now() - begun
  const { body } = await client.call('GET', sessionsPath)
  client.close()
  if (body.length !== expected) throw new Error(`${body.length} of ${expected} sessions are left`)
  return { answered, compared }
}

async function restartRows({ small, large, few, many }: Sides): Promise<Row[]> {
  const [one, other] = [await restart(small, few), await restart(large, many)]
  const what = (until: string): string => `gatewayd killed with ${grouped(many)} sessions, none lost: until ${until}`
  return [
    against(what('it answers'), other.answered, one.answered, `with ${few}`),
    against(what('the kernel was compared'), other.compared, one.compared, `with ${few}`),
  ]
}

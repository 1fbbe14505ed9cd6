// `npm run bench sessions`: what a sign-in costs with few and with many sessions, beside the same elements added by nft, and
// what authorization costs the traffic. Two gateways with the same users take turns.

import { openRoom } from '../firewall/room.ts'
import type { BenchOptions } from '../options.ts'
import { aimed, grouped, median, milliseconds, plain, type Row, within } from '../table.ts'
import { besideRows } from './beside.ts'
import { SessionGateway } from './gateway.ts'
import { addressOf, hostCount, makeUsers, userCount } from './state.ts'
import { benchAuthorizedTraffic } from './traffic.ts'

const few = 100
const kernelLimitMs = 50
/** Not the hosts of the users; in their network. */
const addressAt = (at: number): string => `10.64.250.${1 + at}`

export async function benchSessions({ isQuick }: BenchOptions): Promise<Row[]> {
  if (process.geteuid?.() !== 0)
    throw new Error('The bench of sessions makes network namespaces, for which it needs root.')
  return [...(await signInRows(isQuick)), ...(await benchAuthorizedTraffic(isQuick ? 3 : 9))]
}

async function signInRows(isQuick: boolean): Promise<Row[]> {
  const [rounds, many] = isQuick ? [5, 2_000] : [25, hostCount]
  const state = await makeUsers()
  await using small = await SessionGateway.start(state)
  await using large = await SessionGateway.start(state)
  await small.begin(few)
  const filling = await large.begin(many)
  for (const gateway of [small, large]) await gateway.proveEffect(userCount, addressAt(250))
  const times = { small: [] as number[], large: [] as number[], check: [] as number[], raw: [] as number[] }
  const raw = await openRawSets(many)
  try {
    for (let round = -2; round < rounds; round++) {
      const [user, address] = [userCount - 1 - (round + 2), addressAt(round + 2)]
      const one = await small.signIn(user, address)
      const other = await large.signIn(user, address)
      // Another address each time: failures count against it.
      const check = await large.signInWrongly(user, addressAt(100 + round + 2))
      const added = raw.add(address)
      for (const gateway of [small, large]) await gateway.signOut(address)
      if (round < 0) continue
      times.small.push(one)
      times.large.push(other)
      times.check.push(check)
      times.raw.push(added)
    }
  } finally {
    raw.close()
  }
  const beside = await besideRows({ small, large, few, many }, isQuick ? 3 : 9)
  const [at, check] = [median(times.large), median(times.check)]
  const effect = at - check
  const what = `at ${grouped(many)} sessions`
  const kernel = { ...plain(`sign-in ${what}, without the check of the password`, milliseconds(effect)) }
  return [
    within(`sign-in ${what}, until it is in the kernel`, at, median(times.small), `at ${few}`, 1.3),
    aimed(
      { ...kernel, raw: `${milliseconds(median(times.raw))} nft add element`, ratio: effect / median(times.raw) },
      `below ${kernelLimitMs} ms`,
      effect < kernelLimitMs,
    ),
    plain('sessions a second that begin with a first packet', grouped(Math.round((1000 * many) / filling))),
    ...beside,
  ]
}

/** The same two sets in a room, with as many elements. */
async function openRawSets(count: number) {
  const room = await openRoom()
  const elements = Array.from({ length: count }, (_, host) => addressOf(host)).join(', ')
  const sets = ['sessions', 'members'].map(
    (name) => `set ${name} { type ipv4_addr; flags timeout; elements = { ${elements} } }`,
  )
  room.run(['nft', '-f', '-'], { input: `table inet bench {\n${sets.join('\n')}\n}\n` })
  return {
    add: (address: string): number =>
      room.time(['nft', '-f', '-'], {
        input: `add element inet bench sessions { ${address} timeout 15m }\nadd element inet bench members { ${address} }\n`,
      }),
    close: (): void => room[Symbol.dispose](),
  }
}

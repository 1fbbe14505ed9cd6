// Application control over real connections: clients and servers of many applications, on ports that are not their own, are
// refused when their application is denied, and pass when it is not.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import {
  askPeers,
  lackingPrograms,
  nonsensePair,
  type Outcome,
  type Pair,
  type PeerPlace,
  peerPairs,
  programPairs,
  type RunningServer,
  runClient,
  startPeers,
  startServer,
} from '../support/application-pairs.ts'
import { client, otherClient } from '../support/firewall-lab.ts'
import { InspectionLab } from '../support/inspection-lab.ts'
import { patienceMs, until } from '../support/until.ts'

/** Programs answer from the address of their network card, whatever address a datagram was sent to. */
const programAddress = '203.0.113.1'
const peerAddress = '198.51.100.100'
/** A refused client ends by this limit. */
const silenceMs = 4_000
/** Programs that run at the same time. */
const most = 6

interface ProgramPlace {
  readonly pair: Pair
  readonly address: string
  readonly port: number
}
type Place = ProgramPlace | PeerPlace

interface ApplicationEvent {
  readonly module: string
  readonly result: string
  readonly application: string
  readonly profile: string
  readonly dst_ip: string
  readonly dst_port: number
}

/** Those that come with the packages of the tests. */
const chosen = programPairs.filter(({ needs }) => !['sipsak', 'psql', 'smbd'].some((name) => needs.includes(name)))

const programs: readonly ProgramPlace[] = chosen.map((pair, at) => ({
  pair,
  address: programAddress,
  port: pair.port ?? 21_001 + 2 * at,
}))
const peers: readonly PeerPlace[] = peerPairs.map((pair, at) => ({
  // Who needs a port of its own shares it with others, so it has an address of its own.
  pair,
  address: pair.port === undefined ? peerAddress : `198.51.100.${101 + (at % 50)}`,
  port: pair.port ?? 22_001 + 2 * at,
}))
const places: readonly Place[] = [...programs, ...peers]
const names = [...new Set(places.map(({ pair }) => pair.application))]
/** What others are carried by: who denies it refuses these too. */
const carriers = [...new Set(places.flatMap(({ pair }) => pair.also))]
const carried = names.filter((name) => !carriers.includes(name))

const unknown = 'id.l7.unknown'
const endOf = ({ address, port }: Place): string => `${address}:${port}`

describe('application control', () => {
  let lab: InspectionLab
  let folder: string
  const running: RunningServer[] = []
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'portcullis-applications-'))
    lab = await InspectionLab.start()
    const enter = lab.outside.command
    running.push(await startPeers(enter, peers))
    await each(programs, async (place) => {
      running.push(await startServer(enter, place.pair, place.port, folderOf(place)))
    })
  })
  after(async () => {
    for (const server of running) server.stop()
    await lab.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const folderOf = ({ port }: Place): string => join(folder, `${port}`)

  /** Who should pass is waited for, however slow the machine is. */
  async function runAll(denied: ReadonlySet<string>): Promise<ReadonlyMap<Place, Outcome>> {
    const outcomes = new Map<Place, Outcome>()
    const enter = lab.inside.command
    for (const isDenied of [true, false]) {
      const asked = peers.filter((place) => isRefused(place, denied) === isDenied)
      const found = await askPeers(enter, asked, isDenied ? silenceMs : patienceMs)
      for (const [at, place] of asked.entries()) outcomes.set(place, found[at] ?? 'refused')
    }
    await each(programs, async (place) => {
      const { pair, address, port } = place
      let tries = isRefused(place, denied) ? 1 : 3
      let outcome: Outcome = 'refused'
      while (outcome === 'refused' && tries-- > 0)
        outcome = await runClient(enter, pair, address, port, folderOf(place))
      outcomes.set(place, outcome)
    })
    return outcomes
  }

  async function addProfile(name: string, denied: readonly string[]): Promise<string> {
    const protocols = denied.map((id) => ({ id, action: 'deny' }))
    const [{ id }] = (await lab.api.ok('POST', '/api/application_control/profiles', {
      name,
      comment: '',
      protocols,
    })) as [{ id: string }]
    return id
  }

  const clearRules = async (): Promise<void> => {
    for (const { id } of (await lab.api.ok('GET', '/firewall/rules/forward')) as { id: number }[])
      await lab.firewall.removeRule('forward', id)
  }

  async function events(): Promise<readonly ApplicationEvent[]> {
    const sort = encodeURIComponent(JSON.stringify([{ field: 'date_time', direction: 'asc' }]))
    const { data } = (await lab.api.ok('GET', `/security_events/journal?sort=${sort}`)) as { data: ApplicationEvent[] }
    assert.ok(data.length < 10_000, 'the journal has more events than one answer')
    return data
  }

  async function inspectWith(profile: string, denied: readonly string[]): Promise<void> {
    await clearRules()
    await lab.inspectClient({ dpi_enabled: true, dpi_profile: await addProfile(profile, denied) })
    await lab.isReady(1)
  }

  /** What was told of the connections to the place while the profile was in use. */
  const toldOf = (all: readonly ApplicationEvent[], profile: string, place: Place): string =>
    [
      ...new Set(
        all
          .filter((event) => event.profile === profile && `${event.dst_ip}:${event.dst_port}` === endOf(place))
          .map(({ module, result, application }) => `${module} ${result} ${application}`),
      ),
    ]
      .sort()
      .join(', ')

  /** Denies these, and compares what every pair comes to and what is told about it. */
  async function expectDenied(profile: string, list: readonly string[]): Promise<void> {
    const denied = new Set(list)
    await inspectWith(profile, list)
    const outcomes = await runAll(denied)
    const wrong = (): string[] =>
      places.flatMap((place) => {
        const wanted = isRefused(place, denied) ? 'refused' : 'ok'
        const found = outcomes.get(place)
        return found === wanted ? [] : [`${place.pair.name} (${endOf(place)}): ${found}`]
      })
    const refused = places.filter((place) => isRefused(place, denied))
    let all: readonly ApplicationEvent[] = []
    const lacking = (): string[] =>
      refused.flatMap((place) => (toldOf(all, profile, place) === '' ? [`${place.pair.name} (${endOf(place)})`] : []))
    await until('every refusal is told', async () => {
      all = await events()
      return lacking().length === 0
    }).catch(() => {})
    const toldWrong = places.flatMap((place) => {
      const told = toldOf(all, profile, place)
      const own = [place.pair.application, ...place.pair.also].filter((id) => denied.has(id))
      const isRight = own.length === 0 ? told === '' : own.some((id) => told === `application blocked ${id}`)
      return isRight ? [] : [`${place.pair.name}: ${told || 'nothing'}`]
    })
    assert.deepEqual({ wrong: wrong(), toldWrong }, { wrong: [], toldWrong: [] })
  }

  it('has the programs of the pairs', () => {
    assert.deepEqual(chosen.flatMap(lackingPrograms), [])
    assert.ok(names.length >= 40)
  })

  it('lets everything pass while no rule asks for it', async () => {
    await lab.switchOn()
    const outcomes = await runAll(new Set())
    assert.deepEqual(
      places.filter((place) => outcomes.get(place) !== 'ok').map(({ pair }) => pair.name),
      [],
    )
    assert.deepEqual(await events(), [])
  })

  it('refuses what a profile denies, and nothing else', () =>
    expectDenied(
      'Every second',
      carried.filter((_, at) => at % 2 === 0),
    ))

  it('refuses the others with another profile', () =>
    expectDenied(
      'The others',
      carried.filter((_, at) => at % 2 === 1),
    ))

  it('refuses what is carried with what carries it', () => expectDenied('Carriers', carriers))

  it('refuses what it does not know, and nothing that it knows', async () => {
    const place = { pair: nonsensePair(silenceMs), address: programAddress, port: 20_999 }
    const run = (): Promise<Outcome> =>
      runClient(lab.inside.command, place.pair, place.address, place.port, folderOf(place))
    running.push(await startServer(lab.outside.command, place.pair, place.port, folderOf(place)))
    await clearRules()
    assert.equal(await run(), 'ok')
    const profile = 'The unknown'
    await inspectWith(profile, [unknown])
    assert.equal(await run(), 'refused')
    const outcomes = await runAll(new Set())
    let all: readonly ApplicationEvent[] = []
    await until('the refusal is told', async () => {
      all = await events()
      return toldOf(all, profile, place) === `application blocked ${unknown}`
    })
    const told = places.filter((one) => toldOf(all, profile, one) !== '').map(({ pair }) => pair.name)
    const held = places.filter((one) => outcomes.get(one) !== 'ok').map(({ pair }) => pair.name)
    assert.deepEqual({ held, told }, { held: [], told: [] })
  })

  it('refuses by an older rule, for the client that the rule names', async () => {
    await clearRules()
    const web = programs.find(({ pair }) => pair.name === 'HTTP, curl')
    const mail = programs.find(({ pair }) => pair.name === 'SMTP, curl')
    assert.ok(web && mail)
    const from = (address: string, { pair, address: to, port }: ProgramPlace): Promise<Outcome> => {
      const [program = '', ...args] = pair.client(to, port, folder)
      const bound = { ...pair, client: () => [program, '--interface', address, ...args] }
      return runClient(lab.inside.command, bound, to, port, folder)
    }
    const { id } = (await lab.api.ok('POST', '/application_control_backend/rules', {
      name: 'No web',
      action: 'drop',
      aliases: [await lab.firewall.address(client)],
      protocols: ['id.l7.http'],
    })) as { id: number }
    await lab.isReady(1)
    assert.deepEqual(await Promise.all([from(client, web), from(client, mail)]), ['refused', 'ok'])
    assert.deepEqual(await Promise.all([from(otherClient, web), from(otherClient, mail)]), ['ok', 'ok'])
    await lab.api.ok('DELETE', `/application_control_backend/rules/${id}`)
    await until('the client is let through', async () => (await from(client, web)) === 'ok')
  })
})

const isRefused = ({ pair }: Place, denied: ReadonlySet<string>): boolean =>
  [pair.application, ...pair.also].some((id) => denied.has(id))

/** A few at the same time. */
async function each<Item>(items: readonly Item[], run: (item: Item) => Promise<void>): Promise<void> {
  const left = [...items]
  const worker = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await run(item)
  }
  await Promise.all(Array.from({ length: most }, worker))
}

import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { type Client, createTestGateway, type TestGateway } from '../../../test/support/test-gateway.ts'
import type { Services } from '../../core/area/handle.ts'
import type { Offered, Service } from '../../core/area/service.ts'
import type { CountrySpans, HitNews } from '../../domain/logs/hit-news.ts'
import { userSessionsService } from '../authorization/service.ts'
import { countriesService } from '../objects/service.ts'
import { type HitTeller, tellHitReader } from './jobs.ts'

type Events = Parameters<Parameters<Offered<typeof userSessionsService>['onEvents']>[0]>[0]

describe('what the reader of firewall hits is told', () => {
  let gateway: TestGateway
  let client: Client
  let teller: HitTeller
  let news: HitNews[] = []
  let spans: CountrySpans | null = null
  let emit: (events: Events) => void = () => {}
  let userId = ''
  const session = (address: string, user = userId) => ({
    ...({ id: address, userId: user, type: 'web', address, mac: null, device: null, state: 'connected' } as const),
    startedAt: 0,
    ruleId: null,
  })
  before(async () => {
    gateway = await createTestGateway()
    client = await gateway.client('predefined_admin_write')
    const added = await client('POST', '/user_backend/users', {
      name: 'Ann Lee',
      login: 'ann',
      psw: 'correct horse 9',
      parent_id: 'group.id.1',
      comment: '',
    })
    assert.equal(added.status, 200, added.text)
    userId = `user.id.${added.body.id}`
  })
  after(() => gateway.close())
  beforeEach(() => {
    teller?.stop()
    news = []
    spans = null
    const { services } = gateway
    const offered = new Map<Service<unknown>, unknown>([
      [
        userSessionsService,
        {
          list: () => [session('10.0.0.1')],
          onEvents: (listener: (events: Events) => void) => {
            emit = listener
          },
        },
      ],
      [countriesService, { status: assert.fail, codeOf: () => '', spans: () => spans }],
    ])
    const of: Services['of'] = <T>(service: Service<T>) => offered.get(service) as T
    teller = tellHitReader({ ...services, of }, (one) => news.push(one))
    teller.begin()
  })

  const people = () => news.flatMap((one) => one.people ?? []).map(([place, person]) => [place, person?.login ?? null])

  it('is everything at first, and nothing while nothing changes', () => {
    assert.deepEqual(people(), [['10.0.0.1', 'ann']])
    const names = new Set(news.flatMap((one) => Object.keys(one)))
    assert.deepEqual(
      names,
      new Set([...['time', 'zones', 'translations', 'people', 'countries', 'channels', 'applications', 'signatures']]),
    )
    news = []
    teller.look()
    assert.deepEqual(news, [])
    teller.begin()
    assert.deepEqual(people(), [['10.0.0.1', 'ann']], 'another reader knows nothing')
  })

  it('is who comes and who goes', () => {
    news = []
    emit([{ session: session('10.0.0.2'), login: 'ann', end: null }])
    emit([{ session: session('10.0.0.1', 'user.id.77'), login: 'x', end: 'A session of another user.' }])
    emit([{ session: session('10.0.0.1'), login: 'ann', end: 'It was ended.' }])
    assert.deepEqual(people(), [
      ['10.0.0.2', 'ann'],
      ['10.0.0.1', null],
    ])
  })

  it('is the name of a user, when it becomes another one', async () => {
    news = []
    const { body } = await client('GET', '/user_backend/users')
    const { id, ...rest } = body.find(({ login }: { login: string }) => login === 'ann')
    const { status, text } = await client('PUT', `/user_backend/users/${id}`, { ...rest, name: 'Ann Smith' })
    assert.equal(status, 200, text)
    teller.look()
    assert.equal(news.flatMap((one) => one.people ?? [])[0]?.[1]?.name, 'Ann Smith')
  })

  it('is what rules translate to, and the names of countries', async () => {
    news = []
    const rule = {
      action: 'dnat',
      protocol: 'protocol.tcp',
      change_destination_address: '10.0.0.9',
      change_destination_port: '8080',
    }
    const { body, status, text } = await client('POST', '/firewall/rules/dnat', rule)
    assert.equal(status, 200, text)
    spans = { lows: Uint32Array.of(1), highs: Uint32Array.of(2), which: Uint16Array.of(0), codes: ['DE'] }
    teller.look()
    const [targets, countries] = news
    assert.deepEqual(targets?.translations?.dnat.get(`${body.id}`), {
      addresses: [0x0a00_0009, 0x0a00_0009],
      ports: [8080, 8080],
    })
    assert.deepEqual(countries?.countries?.names, ['Germany'])
  })
})

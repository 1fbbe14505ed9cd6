import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { facts, lan, wan } from '../../../test/support/network-samples.ts'
import { type Config, read, write } from '../../core/model/slots.ts'
import type { Observation, UnitObservation } from '../../core/plan/artifacts.ts'
import { verbatim } from '../../shared/said.ts'
import { settings as authorizationSettings } from '../authorization/config.ts'
import { connections } from '../network/config.ts'
import { settings } from './config.ts'
import type { PortalSettings } from './contract.ts'
import { captivePortalUrl, isCaptive, isServed, openServices, servedAddresses } from './resolve.ts'
import { portalStatusItems } from './status.ts'

const network: Config = write({}, connections, [lan, wan])
const authorized = (allow_internet_to_everyone: boolean, web_authorization: boolean, from = network): Config =>
  write(from, authorizationSettings, {
    ...read(from, authorizationSettings),
    allow_internet_to_everyone,
    web_authorization,
  })
const withPortal = (change: Partial<PortalSettings>, from = network): Config =>
  write(from, settings, { ...read(from, settings), ...change })
const captive = authorized(false, true)

describe('the portal', () => {
  it('runs while web authorization is enforced, or when the personal portal is enabled', () => {
    const cases: readonly (readonly [Config, boolean, boolean])[] = [
      [network, false, false],
      [captive, true, true],
      [authorized(true, true), false, false],
      [authorized(false, false), false, false],
      [withPortal({ enabled: true }), false, true],
    ]
    for (const [config, decides, runs] of cases)
      assert.deepEqual([isCaptive(config), isServed(config)], [decides, runs])
  })

  it('is announced to clients only while it decides about their access', () => {
    assert.equal(captivePortalUrl(captive, '10.10.0.1'), 'https://10.10.0.1:8446/captive-portal/api')
    const named = withPortal({ host: 'portal.example' }, captive)
    assert.equal(captivePortalUrl(named, '10.10.0.1'), 'https://portal.example:8446/captive-portal/api')
    assert.equal(captivePortalUrl(withPortal({ enabled: true }), '10.10.0.1'), null)
  })

  it('is open to local devices alone', () => {
    assert.deepEqual(openServices(network, facts), [])
    assert.deepEqual(
      openServices(captive, facts).map(({ destinationPort, devices, peers }) => [destinationPort, devices, peers]),
      [
        [8085, ['lan0'], null],
        [8446, ['lan0'], null],
      ],
    )
    assert.deepEqual(servedAddresses(captive, facts), ['10.10.0.1'])
  })
})

describe('the status of the portal', () => {
  const unit = (state: UnitObservation['state'], message = ''): UnitObservation => ({
    name: 'portal',
    state,
    message: verbatim(message),
    pid: 1,
  })
  const seen = (units: readonly UnitObservation[], limitation: string | null = null): Observation => ({
    plane: 'lab',
    limitation,
    appliedRevision: 1,
    tables: [],
    links: [],
    units,
  })
  const item = (config: Config, observation: Observation | null) =>
    portalStatusItems({ config, facts, observation, unreachable: verbatim('applyd is away.'), applyError: null })[0]

  it('is that of its unit, with what it is there for', () => {
    assert.deepEqual(item(captive, seen([unit('active')])), {
      name: 'portal',
      status: 'active',
      msg: ['Browsers of hosts that are not authorized are sent to the sign-in page.'],
    })
    assert.match(item(withPortal({ enabled: true }), seen([unit('active')]))?.msg[0] ?? '', /^Only the personal portal/)
    assert.deepEqual(item(captive, seen([unit('failed', 'portal ended.')]))?.msg, ['portal ended.'])
    assert.deepEqual(item(captive, seen([]))?.msg, ['The portal is not running.'])
    const nowhere = authorized(false, true, write({}, connections, [wan]))
    assert.match(item(nowhere, seen([unit('active')]))?.msg[1] ?? '', /no address in a local network/)
  })

  it('never claims what cannot be seen', () => {
    assert.equal(item(network, seen([]))?.status, 'inactive')
    assert.deepEqual(item(captive, null)?.msg, ['applyd is away.'])
    assert.equal(item(captive, seen([], 'Nothing is applied here.'))?.status, 'inactive')
  })
})

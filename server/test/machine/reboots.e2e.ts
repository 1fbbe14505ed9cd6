// What happens on a machine over years, in one night: many boots under a flood from outside, units that are killed, and units
// that cannot start. In all of it no packet from outside reaches the client.
// Requirement 66.

import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { until } from '../support/until.ts'
import * as gateway from './gateway.ts'
import { countArrivals, seenAddress, startFlood } from './internet.ts'
import { type Machine, outside } from './machine.ts'
import { describeOnReleases } from './on-releases.ts'
import { rootWith } from './roots.ts'

const { units } = gateway
const ownAddress = outside.address.split('/')[0]
const boots = 20
const failures = 5
const services = [units.applyd, units.gatewayd]

await describeOnReleases('a gateway over many boots', { isNightly: true, atOnce: 1 }, (suite, built) => {
  let machine: Machine
  before(async () => {
    machine = await gateway.bootRouter(await rootWith(suite, built().dependencies))
    await gateway.install(machine, built().first)
    await gateway.untilServing(machine)
    await gateway.setUp(machine)
  })
  after(() => machine?.[Symbol.asyncDispose]())

  const works = async (): Promise<void> => {
    await gateway.untilServing(machine)
    await until('the client gets out', async () => (await seenAddress(machine)) === ownAddress)
  }

  /** Under a flood from outside, of which nothing may arrive. */
  const closed = async (work: () => Promise<void>): Promise<void> => {
    const arrived = await countArrivals(machine)
    await using flood = await startFlood(machine)
    await work()
    assert.ok((await flood.stop()) > 0)
    assert.equal(await arrived(), 0, 'packets from outside reached the client')
  }

  it(`is closed in each of ${boots} boots`, async (test) => {
    for (let boot = 1; boot <= boots; boot += 1) {
      // In turns: in order, and as when the power fails. The end of a machine without power is not counted: here its rules
      // go some microseconds before its cards, because both belong to a namespace that the kernel removes piece by piece.
      const hasPower = boot % 2 === 1
      if (!hasPower) await machine.pullPlug()
      await closed(async () => {
        await (hasPower ? machine.reboot() : machine.boot())
        await works()
      })
      await gateway.assertActive(machine)
      const { rules, ready } = await gateway.bootTimes(machine)
      test.diagnostic(`boot ${boot}: closed after ${rules} ms, ready after ${ready} ms`)
    }
  })

  for (const unit of services)
    it(`is closed when ${unit} is killed ${failures} times in a row, and comes back`, () =>
      closed(async () => {
        const engines = await gateway.pidsOf(machine, 'unbound')
        for (let time = 0; time < failures; time += 1) {
          const main = await gateway.property(machine, unit, 'MainPID')
          await machine.run(['systemctl', 'kill', '--signal=KILL', '--kill-whom=main', unit])
          const isNew = async (): Promise<boolean> => {
            const now = await gateway.property(machine, unit, 'MainPID')
            return now !== main && now !== '0'
          }
          await until('it is started again', isNew)
        }
        await works()
        await gateway.assertActive(machine)
        assert.deepEqual(await gateway.pidsOf(machine, 'unbound'), engines)
      }))

  for (const unit of services)
    it(`is closed while ${unit} cannot start, also over a boot, and comes back by itself`, () =>
      closed(async () => {
        machine.write(`/etc/systemd/system/${unit}.d/fails.conf`, '[Service]\nExecStartPre=/bin/false\n')
        await machine.must(['systemctl', 'daemon-reload'])
        await machine.run(['systemctl', 'kill', '--signal=KILL', '--kill-whom=main', unit])
        await failsOften(unit)
        await machine.reboot()
        await failsOften(unit)
        await machine.must(['rm', '-r', `/etc/systemd/system/${unit}.d`])
        await machine.must(['systemctl', 'daemon-reload'])
        await works()
        await gateway.assertActive(machine)
      }))

  const failsOften = async (unit: string): Promise<void> => {
    const restarts = async (): Promise<number> => Number(await gateway.property(machine, unit, 'NRestarts'))
    const before = await restarts()
    await until('it failed often', async () => (await restarts()) >= before + failures)
    assert.notEqual(await gateway.stateOf(machine, unit), 'failed', 'systemd has given up')
    assert.match(await gateway.tables(machine), /^table inet portcullis(?:_boot)?$/m)
  }

  it('works when the rules of the first moment cannot be loaded, from the moment at which applyd starts', async () => {
    machine.write(`/etc/systemd/system/${units.boot}.d/fails.conf`, '[Service]\nExecStart=\nExecStart=/bin/false\n')
    await machine.must(['systemctl', 'daemon-reload'])
    await machine.reboot()
    await works()
    await closed(works)
    await machine.must(['rm', '-r', `/etc/systemd/system/${units.boot}.d`])
    await machine.must(['systemctl', 'daemon-reload'])
  })
})

// As many channels as there can be, each with its own signature, judged with packets; and an engine that the kernel ends or leaves without
// memory while packets flow: where the profile blocks none passes, where it may pass that is shown and counted.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { openLab } from '../../src/tools/launcher/enter-lab.ts'
import { ByteOrigin } from '../support/byte-origin-control.ts'
import { datagramBytes, ipPacket, protocols } from '../support/crafted-packets.ts'
import { client, server } from '../support/firewall-lab.ts'
import { cardIn, FramePipe } from '../support/frame-pipe.ts'
import { InspectionLab } from '../support/inspection-lab.ts'
import { until } from '../support/until.ts'

const most = 63
const portOf = (number: number): number => 9_000 + number
const evilOf = (number: number): string => `ATTACK-${number}!`
const signature = (number: number): string =>
  `alert udp any any -> any any (msg:"Attack ${number}"; content:"${evilOf(number)}"; classtype:misc-attack; sid:${2_000 + number}; rev:1;)`
const ends = { source: client, destination: server }
/** The first and the last, and those around the length of a list that the engine once refused. */
const tested = [1, 21, 22, most]

interface Shown {
  readonly state: string
  readonly uninspected: { readonly passed: number } | null
}

describe('inspection at its limits', () => {
  let lab: InspectionLab
  let origin: ByteOrigin
  let pipe: FramePipe
  const profiles: string[] = []
  let nextPort = 10_000

  const ok = (method: string, path: string, body?: object) => lab.api.ok(method, path, body)
  const shown = async (): Promise<Shown> => (await ok('GET', '/inspection/channels')) as Shown
  const engines = (): readonly number[] => lab.gateway.processesOf('suricata.yaml')

  /** The port that it comes from. */
  async function send(number: number, text: string): Promise<number> {
    const port = nextPort++
    await pipe.send([ipPacket(ends, protocols.udp, datagramBytes(ends, port, portOf(number), Buffer.from(text)))])
    return port
  }
  const textsAt = async (ports: readonly number[]): Promise<readonly string[]> => {
    const received = await origin.ask()
    return ports.map((port) => received[`udp ${port}`] ?? '')
  }
  /** It arrives; one that is sent again and again has not been lost by chance. */
  async function arrives(number: number, text: string): Promise<void> {
    const ports: number[] = []
    await until(`${text} arrives at ${number}`, async () => {
      ports.push(await send(number, text))
      return (await textsAt(ports)).includes(text)
    })
  }

  before(async () => {
    lab = await InspectionLab.start()
    await ok('PATCH', '/firewall/settings', { automatic_snat_enabled: false })
    for (const number of tested) await ok('POST', '/ips/custom', { comment: '', rule: signature(number) })
    for (let number = 1; number <= most + 1; number++) {
      const sid = 2_000 + (tested.includes(number) ? number : most)
      profiles.push(await lab.addProfile(`Profile ${number}`, [{ key: 'sid', values: [sid], action: 'drop' }]))
    }
    for (let number = 1; number <= most; number++) await lab.firewall.forward(await ruleOf(number))
    await lab.switchOn()
    await lab.isReady(most)
    const { stateDir } = lab.gateway
    origin = new ByteOrigin(openLab(stateDir, 'internet'), tested.map(portOf))
    await origin.ready
    const card = async (namespace: string): Promise<string> => {
      const { stdout } = await lab.gateway.exec(namespace, ['/usr/sbin/ip', '-j', 'link', 'show', 'lan0'])
      return cardIn(stdout)
    }
    pipe = new FramePipe(openLab(stateDir, 'client'), 'lan0', await card('client'), await card('gateway'))
    await pipe.ready
  })
  after(async () => {
    await pipe?.stop()
    await origin?.stop()
    await lab.stop()
  })

  const ruleOf = async (number: number): Promise<object> => ({
    action: 'accept',
    protocol: 'protocol.udp',
    ips_enabled: true,
    ips_profile: profiles[number - 1],
    destination_ports: [await lab.firewall.port(portOf(number))],
  })

  it('acts on packets in the first, the last and those between, each by its own profile', async () => {
    for (const [at, number] of tested.entries()) {
      const lost = await send(number, evilOf(number))
      // The same bytes are harmless to another profile.
      await arrives(number, evilOf(tested[(at + 1) % tested.length] ?? 0))
      await arrives(number, 'plain')
      assert.deepEqual(await textsAt([lost]), [''], `channel ${number}`)
    }
  })

  it('refuses one channel more, by its field', async () => {
    const { status, body } = await lab.api.call('POST', '/firewall/rules/forward', {
      enabled: true,
      comment: '',
      source_addresses: ['any'],
      destination_addresses: ['any'],
      ...(await ruleOf(most + 1)),
    })
    const text = JSON.stringify(body)
    assert.equal(status, 422, text)
    assert.match(text, /ips_profile/)
    assert.match(text, /At most 63/)
    await lab.isReady(most)
  })

  describe('without its engine', () => {
    const [open, closed] = [1, most]
    const attacks: number[] = []
    const harmless: number[] = []

    before(async () => {
      const running = engines()
      await ok('PATCH', `/inspection/profiles/${profiles[closed - 1]}`, { on_failure: 'block' })
      await until('the engine was started anew', () =>
        Promise.resolve(engines().length > 0 && !engines().some((pid) => running.includes(pid))),
      )
      await lab.isReady(most)
    })

    /** Attacks and harmless packets until it holds. */
    async function flow(what: string, holds: () => Promise<boolean>): Promise<void> {
      await until(what, async () => {
        attacks.push(await send(closed, evilOf(closed)))
        harmless.push(await send(open, 'plain'))
        return holds()
      })
    }
    // As a kernel without memory does it: again as soon as it is back. It is the stand-in for that kernel.
    it('passes nothing where the profile blocks when the kernel ends it again and again, and shows and counts what passes elsewhere', async () => {
      lab.gateway.log.allow(/inspection ended with signal SIGKILL|inspection failed its health check/)
      const passed = (await shown()).uninspected?.passed ?? 0
      let isCounted = false
      await flow('the status says so, and what passed is counted', async () => {
        for (const pid of engines()) process.kill(pid, 'SIGKILL')
        const { state, uninspected } = await shown()
        isCounted ||= (uninspected?.passed ?? 0) > passed
        return state !== 'active' && isCounted
      })
      await flow('it is back', async () => (await shown()).state === 'active')
      await arrives(closed, 'plain')
      assert.ok(attacks.length > 0)
      assert.deepEqual(
        (await textsAt(attacks)).filter((text) => text !== ''),
        [],
      )
      const arrived = await textsAt(harmless)
      assert.ok(arrived.includes('plain'), 'nothing passed where the profile lets it')
    })
  })
})

// The internet beside a machine: a web server that answers with the address it sees, a DNS server that answers every name,
// a flood towards the client, and the count of what arrived there.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { join } from 'node:path'
import { appRoot, runtimePath } from '../../src/tools/launcher/layout.ts'
import { until } from '../support/until.ts'
import { client, internet, type Machine } from './machine.ts'
import { mustRun } from './processes.ts'

const node = runtimePath(appRoot)
const program = (name: string): readonly string[] => [node, join(import.meta.dirname, name)]

export async function startInternet(machine: Machine): Promise<void> {
  machine.startBeside('inet', [...program('web-server.ts'), internet.web])
  machine.startBeside('inet', [
    '/usr/sbin/dnsmasq',
    '--no-daemon',
    '--conf-file=/dev/null',
    '--no-resolv',
    '--no-hosts',
    '--user=root',
    '--pid-file',
    '--bind-interfaces',
    `--listen-address=${internet.dns}`,
    `--address=/#/${internet.web}`,
  ])
  const own = ['/usr/bin/curl', '-s', '-m', '5', `http://${internet.web}/`]
  await until('the internet answers', async () => (await machine.beside('inet', own)).code === 0)
}

/** Which address the internet's web server sees of the client; null when the client gets no answer. */
export async function seenAddress(machine: Machine, seconds = 5): Promise<string | null> {
  const ask = ['/usr/bin/curl', '-s', '-m', `${seconds}`, `http://${internet.web}/`]
  const { code, stdout } = await machine.beside('client', ask)
  return code === 0 ? (JSON.parse(stdout) as { client: string }).client : null
}

/** First packets from outside to the client that reached it, of all boots since it was called. */
export async function countArrivals(machine: Machine): Promise<() => Promise<number>> {
  const nft = [...machine.side('client'), '/usr/sbin/nft']
  const rules = [
    'table ip arrivals',
    'delete table ip arrivals',
    'table ip arrivals {',
    'counter flood { }',
    'chain arriving {',
    'type filter hook prerouting priority raw',
    `ip saddr ${internet.card} udp dport 9 counter name flood`,
    '}',
    '}',
    '',
  ].join('\n')
  await mustRun([...nft, '-f', '-'], { input: rules })
  return async () => {
    const text = await mustRun([...nft, 'list', 'counter', 'ip', 'arrivals', 'flood'])
    const [, packets] = /packets (\d+)/.exec(text) ?? []
    assert.ok(packets !== undefined, text)
    return Number(packets)
  }
}

/** Take it with `await using`: a failing test ends it too. */
export interface Flood extends AsyncDisposable {
  /** Ends it and resolves with how many packets were sent. */
  stop(): Promise<number>
}

/** A packet to the client in every millisecond, also while the machine is down. */
export async function startFlood(machine: Machine): Promise<Flood> {
  const child = machine.startBeside('inet', [...program('flood.ts'), internet.card, client.address])
  let printed = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    printed += text
  })
  const closed = once(child, 'close')
  await until('the flood has begun', () => printed.startsWith('sending\n'))
  const stop = async (): Promise<number> => {
    child.stdin?.end()
    await closed
    return Number(printed.split('\n')[1])
  }
  return {
    stop,
    [Symbol.asyncDispose]: async () => {
      await stop()
    },
  }
}

export interface Pings {
  answers(): number
  /** Ends them. Every ping has had a second for its answer. */
  stop(): Promise<{ readonly sent: number; readonly answered: number }>
}

/** From the client to the internet, through the machine. */
export async function startPings(machine: Pick<Machine, 'startBeside'>, everySeconds = 0.02): Promise<Pings> {
  const child = machine.startBeside('client', ['/usr/bin/ping', '-n', '-i', `${everySeconds}`, internet.web])
  let printed = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    printed += text
  })
  const answers = (): number => printed.split('bytes from').length - 1
  await until('the client gets answers', () => answers() > 5)
  return {
    answers,
    stop: async () => {
      child.kill('SIGINT')
      await once(child, 'close')
      const [, sent, answered] = /(\d+) packets transmitted, (\d+) received/.exec(printed) ?? []
      assert.ok(sent !== undefined && answered !== undefined, printed.slice(-400))
      return { sent: Number(sent), answered: Number(answered) }
    },
  }
}

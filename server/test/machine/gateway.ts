// A machine that was a plain router before the gateway was installed on it: its cards have their addresses from networkd, and
// forwarding is on from the first moment of a boot. That is the hardest case: nothing but our rules keeps packets out.

import assert from 'node:assert/strict'
import { copyFileSync } from 'node:fs'
import { until } from '../support/until.ts'
import { MachineApi } from './api.ts'
import { startInternet } from './internet.ts'
import { bootMachine, client, inside, internet, type Machine, outside } from './machine.ts'
import { lastLines } from './processes.ts'

export const password = 'correct horse 9'
export const units = {
  boot: 'portcullis-boot.service',
  applyd: 'portcullis-applyd.service',
  gatewayd: 'portcullis-gatewayd.service',
  socket: 'portcullis-gatewayd.socket',
  all: 'portcullis.target',
} as const

const installMs = 10 * 60_000

const network = (card: string, ...lines: readonly string[]): string =>
  [`[Match]`, `Name=${card}`, `[Network]`, ...lines, ''].join('\n')

export async function bootRouter(root: string): Promise<Machine> {
  const machine = await bootMachine(root, {
    files: {
      '/etc/systemd/network/10-wan0.network': network(
        outside.card,
        `Address=${outside.address}`,
        `Gateway=${internet.card}`,
      ),
      '/etc/systemd/network/20-lan0.network': network(inside.card, `Address=${inside.address}`),
      '/etc/sysctl.d/router.conf': 'net.ipv4.ip_forward = 1\n',
    },
  })
  try {
    await machine.must(['systemctl', 'enable', '--now', 'systemd-networkd.service'])
    await startInternet(machine)
    return machine
  } catch (error) {
    await machine[Symbol.asyncDispose]()
    throw error
  }
}

/** As an administrator does it who has all dependencies already. Returns what dpkg printed. */
export async function install(machine: Machine, file: string): Promise<string> {
  copyFileSync(file, machine.path('/var/tmp/portcullis.deb'))
  const { code, stdout, stderr } = await machine.run(['dpkg', '--install', '/var/tmp/portcullis.deb'], {
    timeoutMs: installMs,
  })
  assert.equal(code, 0, `dpkg ended with ${code}:\n${lastLines(stdout)}\n${lastLines(stderr)}`)
  return `${stdout}${stderr}`
}

export async function setUp(machine: Machine): Promise<void> {
  await machine.must(
    [
      'gw',
      'setup',
      '--yes',
      '--password-stdin',
      '--outside',
      outside.card,
      '--outside-address',
      outside.address,
      '--gateway',
      internet.card,
      '--inside',
      inside.card,
      '--inside-address',
      inside.address,
    ],
    { input: `${password}\n` },
  )
}

export async function openApi(machine: Machine): Promise<MachineApi> {
  const api = new MachineApi(machine)
  await api.signIn(password)
  return api
}

/** active, failed, inactive ... */
export async function stateOf(machine: Machine, unit: string): Promise<string> {
  return (await machine.run(['systemctl', 'is-active', unit])).stdout.trim()
}

/** Fails with the journal of a unit that does not become active. */
export async function assertActive(machine: Machine): Promise<void> {
  for (const unit of Object.values(units))
    try {
      await until(`${unit} is active`, async () => (await stateOf(machine, unit)) === 'active')
    } catch (error) {
      throw new Error(`${unit} is not active:\n${await machine.journal(unit)}`, { cause: error })
    }
}

export async function property(machine: Machine, unit: string, name: string): Promise<string> {
  return (await machine.must(['systemctl', 'show', '--value', '--property', name, unit])).trim()
}

/** Processes of a program in the machine, with the number that each keeps as long as it lives. */
export async function pidsOf(machine: Machine, program: string): Promise<readonly string[]> {
  return (await machine.run(['pgrep', '--exact', program])).stdout.split('\n').filter(Boolean)
}

/** The gateway answers the local network, and its rules are in the kernel. */
export async function untilServing(machine: Machine): Promise<void> {
  const ask = ['/usr/bin/curl', '-sk', '-m', '5', `https://${client.gateway}:8443/openapi.json`, '-o', '/dev/null']
  await until('the gateway serves', async () => (await machine.beside('client', ask)).code === 0)
}

/** The address that the gateway's DNS server has for a name; null when there is none. */
export async function resolve(machine: Machine, name: string): Promise<string | null> {
  const ask = ['/usr/bin/dig', `@${client.gateway}`, '+short', '+time=2', '+tries=1', name, 'A']
  const { code, stdout } = await machine.beside('client', ask)
  return code === 0 && stdout.trim() !== '' ? stdout.trim() : null
}

export const tables = async (machine: Machine): Promise<string> =>
  (await machine.must(['nft', 'list', 'tables'])).trim()

/** Milliseconds from the start of the machine's first process until it is closed, and until the gateway serves. */
export async function bootTimes(machine: Machine): Promise<{ readonly rules: number; readonly ready: number }> {
  const begun = Number(await machine.must(['systemctl', 'show', '--value', '--property=UserspaceTimestampMonotonic']))
  const since = async (unit: string, name: string): Promise<number> =>
    Math.round((Number(await property(machine, unit, name)) - begun) / 1000)
  return {
    rules: await since(units.boot, 'ActiveEnterTimestampMonotonic'),
    ready: await since(units.gatewayd, 'ActiveEnterTimestampMonotonic'),
  }
}

/** Warnings and errors of our services since the machine booted. */
export async function complaints(machine: Machine): Promise<readonly string[]> {
  const text = await machine.must(['journalctl', '--boot', '--no-pager', '--output=cat', '--unit=portcullis*'])
  return text.split('\n').filter((line) => /"level":"(?:warning|error)"/.test(line))
}

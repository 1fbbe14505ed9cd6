// Further DNS servers in the lab's internet, each at a separate address and with different answers.

import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { appRoot, runtimePath } from '../../src/tools/launcher/layout.ts'
import { dig } from './dig.ts'
import type { LabGateway } from './lab-gateway.ts'
import { until } from './until.ts'

const forever = 900_000

export async function addAddress(gateway: LabGateway, ...addresses: readonly string[]): Promise<void> {
  const input = addresses.map((address) => `addr add ${address}/32 dev lo\n`).join('')
  const { code, stderr } = await gateway.exec('internet', ['/usr/sbin/ip', '-batch', '-'], { input })
  assert.equal(code, 0, stderr)
}

/** Answers every name with the same address. */
export async function startEcho(gateway: LabGateway, at: string, answer: string, more: readonly string[] = []) {
  await addAddress(gateway, at)
  const options = [
    '--no-daemon',
    '--conf-file=/dev/null',
    '--no-resolv',
    '--no-hosts',
    '--user=root',
    '--pid-file',
    '--bind-interfaces',
    `--listen-address=${at}`,
    `--address=/#/${answer}`,
    '--local-ttl=60',
    ...more,
  ]
  void gateway.exec('internet', ['/usr/sbin/dnsmasq', ...options], { timeoutMs: forever }).catch(() => {})
  await answers(gateway, at, 'ready.example')
}

/** Serves one zone with all its signatures. The text is in the format of zone files. */
export async function startZone(gateway: LabGateway, at: string, name: string, text: string): Promise<void> {
  await addAddress(gateway, at)
  const folder = join(gateway.stateDir, 'lab', name)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'zone'), text)
  writeFileSync(
    join(folder, 'conf'),
    `server:
  username: ""
  chroot: ""
  directory: "${folder}"
  pidfile: ""
  use-syslog: no
  do-daemonize: no
  interface: ${at}
  access-control: 0.0.0.0/0 allow
  module-config: "iterator"
  local-zone: "test." nodefault
remote-control:
  control-enable: no
auth-zone:
  name: "${name}"
  zonefile: "zone"
  for-downstream: yes
  for-upstream: no
`,
  )
  const command = ['/usr/sbin/unbound', '-d', '-p', '-c', join(folder, 'conf')]
  void gateway.exec('internet', command, { timeoutMs: forever }).catch(() => {})
  await answers(gateway, at, name)
}

export const slowServers = Array.from({ length: 120 }, (_, at) => `198.51.101.${at + 1}`)

/** A server that means harm for `delegated.test`, its slow companions, and an honest one for `honest.delegated.test`. */
export async function startHostile(gateway: LabGateway): Promise<void> {
  const [hostile, honest] = ['198.51.100.64', '198.51.100.65']
  await addAddress(gateway, hostile, honest, ...slowServers)
  const script = join(appRoot, 'server/test/support/hostile-dns.ts')
  for (const words of [
    ['honest.delegated.test', honest],
    ['delegated.test', hostile, honest, ...slowServers],
  ]) {
    const command = [runtimePath(appRoot), script, ...words]
    void gateway.exec('internet', command, { timeoutMs: forever }).catch(() => {})
  }
  await answers(gateway, honest, 'ready.honest.delegated.test')
  await answers(gateway, hostile, 'ready.delegated.test')
}

const answers = (gateway: LabGateway, server: string, name: string): Promise<void> =>
  until(`a server answers at ${server}`, async () => {
    const { status } = await dig(gateway, name, { from: 'internet', server, type: 'SOA' })
    return status !== null && status !== 'SERVFAIL'
  })

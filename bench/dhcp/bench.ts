// `npm run bench dhcp`: one static lease changed through the interface, from the call to the answer, which comes when
// dnsmasq was signalled; beside dnsmasq by hand, which reads the same file again. With few and with many static leases.

import { join } from 'node:path'
import { printAddress } from '../../server/src/shared/net/ipv4.ts'
import { ApiClient } from '../../server/test/support/api-client.ts'
import { startGateway } from '../../server/test/support/lab-gateway.ts'
import { benchFolder } from '../folder.ts'
import type { BenchOptions } from '../options.ts'
import { adminPassword, makeState } from '../state.ts'
import { median, type Row } from '../table.ts'
import { fillWithLeases, hostLine } from './configuration.ts'
import { startRaw } from './raw.ts'

const sizes = [10, 10_000] as const
const leasesPath = '/dhcp_server/static_leases'
const patienceMs = 60_000

interface Times {
  readonly lease: number
  readonly settings: number
}

export async function benchDhcp({ isQuick }: BenchOptions): Promise<Row[]> {
  if (process.geteuid?.() !== 0) throw new Error('The DHCP bench makes network namespaces, for which it needs root.')
  const samples = isQuick ? 5 : 15
  const rows: Row[] = []
  for (const size of sizes) {
    console.error(`  ${size} static leases`)
    const [ours, raw] = [await timeGateway(size, samples), await timeRaw(size, samples)]
    rows.push(
      against(`static lease changed, of ${size}`, ours.lease, raw.lease, 'dnsmasq changed by hand'),
      against(`settings changed, with ${size} static leases`, ours.settings, raw.settings, 'dnsmasq restarted by hand'),
    )
  }
  return rows
}

const against = (what: string, ours: number, raw: number, aim: string): Row => ({
  what,
  ours: `${ours.toFixed(1)} ms`,
  raw: `${raw.toFixed(1)} ms`,
  ratio: ours / raw,
  aim: `beside ${aim}`,
  isMet: null,
})

async function timeGateway(size: number, samples: number): Promise<Times> {
  const stateDir = join(benchFolder(), 'state')
  await makeState(stateDir, (config) => fillWithLeases(config, size))
  const lab = await startGateway({ stateDir })
  const api = new ApiClient(lab.address)
  try {
    await api.signIn('admin', adminPassword)
    const call = async (method: string, path: string, body?: object) => {
      const answer = await api.call(method, path, body, {}, patienceMs)
      if (answer.status !== 200) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`)
      return answer.body
    }
    const time = async (path: string, body: object): Promise<number> => {
      const begun = performance.now()
      await call('PATCH', path, body)
      return performance.now() - begun
    }
    const leases = (await call('GET', leasesPath)) as { id: string; mac: string }[]
    const [entry] = (await call('GET', '/dhcp_server/settings')) as { id: string; server: object }[]
    if (!entry) throw new Error('the entry is not there')
    const times = { lease: [] as number[], settings: [] as number[] }
    for (let sample = 0; sample < samples; sample++) {
      const { id, mac } = leases[sample % leases.length] ?? { id: '', mac: '' }
      const ip_address = printAddress(0x0a0b_f000 + sample)
      times.lease.push(await time(`${leasesPath}/${id}`, { ip_address }))
      // Once and untimed: what was answered is what dnsmasq reads.
      const { stdout } = await lab.exec('gateway', [
        '/usr/bin/grep',
        '-c',
        hostLine(mac, ip_address),
        `${stateDir}/dhcp/hosts`,
      ])
      if (sample === 0 && stdout.trim() !== '1') throw new Error('dnsmasq was not notified of the change')
      const server = { ...entry.server, lease_time: 60 + sample }
      times.settings.push(await time(`/dhcp_server/settings/${entry.id}`, { server }))
    }
    return { lease: median(times.lease), settings: median(times.settings) }
  } finally {
    api.close()
    await lab.stop()
  }
}

async function timeRaw(size: number, samples: number): Promise<Times> {
  const times = { lease: [] as number[], settings: [] as number[] }
  const raw = await startRaw(size)
  try {
    for (let sample = 0; sample < samples; sample++) {
      times.lease.push(await raw.changeLease(sample))
      times.settings.push(await raw.restart())
    }
  } finally {
    await raw.stop()
  }
  return { lease: median(times.lease), settings: median(times.settings) }
}

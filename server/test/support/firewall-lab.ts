// A lab for tests of rules: servers in its internet that answer on a few ports, and the steps that such tests share.

import { ApiClient } from './api-client.ts'
import { type LabGateway, startGateway } from './lab-gateway.ts'
import { until } from './until.ts'
import { Wire } from './wire.ts'

export const password = 'correct horse 9'
export const client = '10.10.0.2'
export const otherClient = '10.10.0.3'
export const server = '198.51.100.20'
export const servers = [server, '198.51.100.21', '198.51.100.22', '198.51.100.23'] as const
export const gatewayInside = '10.10.0.1'
const ports = [8001, 8002, 8003, 8004, 8010]

const anyRule = {
  enabled: true,
  protocol: 'any',
  comment: '',
  source_addresses: ['any'],
  destination_addresses: ['any'],
}

export const startFirewallLab = async (): Promise<FirewallLab> =>
  useGateway(await startGateway({ adminPassword: password }))

async function useGateway(gateway: LabGateway): Promise<FirewallLab> {
  const lab = new FirewallLab(gateway)
  const { api, wire } = lab
  await api.signIn('admin', password)
  const hosts = servers.map((address) => `${address}/32`)
  await wire.addAddresses('client', 'lan0', [`${otherClient}/24`])
  await wire.addAddresses('internet', 'lo', hosts)
  await wire.listen('internet', servers, ports)
  await wire.listen('gateway', [gatewayInside], [8001])
  await lab.rulesAreInKernel()
  return lab
}

export class FirewallLab {
  readonly gateway: LabGateway
  readonly api: ApiClient
  readonly wire: Wire

  constructor(gateway: LabGateway) {
    this.gateway = gateway
    this.api = new ApiClient(gateway.address)
    this.wire = new Wire(gateway, client, server)
  }

  async stop(): Promise<void> {
    this.api.close()
    await this.gateway.stop()
  }

  /** Everything ends, and the next one starts on the same state. */
  async restart(): Promise<FirewallLab> {
    this.api.close()
    return useGateway(await this.gateway.restart())
  }

  rulesAreInKernel(): Promise<void> {
    return until('the rules are in the kernel', async () => {
      const items = (await this.api.ok('GET', '/firewall/status')) as { name: string; status: string }[]
      return items.every(({ name, status }) => name !== 'rules-in-kernel' || status === 'active')
    })
  }

  /** As at the beginning: no rules, and automatic SNAT. */
  async clear(): Promise<void> {
    for (const table of ['forward', 'input', 'dnat', 'snat', 'log']) {
      const rules = (await this.api.ok('GET', `/firewall/rules/${table}`)) as { id: number }[]
      for (const { id } of rules) await this.removeRule(table, id)
    }
    const settings = { automatic_snat_enabled: true, log_mode: 'nothing', log_actions: [] }
    await this.api.ok('PATCH', '/firewall/settings', settings)
  }

  async make(kind: string, fields: object): Promise<string> {
    return (await this.api.ok('POST', `/aliases/${kind}`, { title: 'object', comment: '', ...fields })).id
  }
  address = (value: string): Promise<string> => this.make('ip_addresses', { value })
  port = (value: number): Promise<string> => this.make('ports', { value })

  async addRule(table: string, fields: object, query = ''): Promise<number> {
    return (await this.api.ok('POST', `/firewall/rules/${table}${query}`, { ...anyRule, ...fields })).id
  }
  /** Drops, unless the fields say otherwise. */
  forward = (fields: object, query = ''): Promise<number> =>
    this.addRule('forward', { action: 'drop', ...fields }, query)

  async removeRule(table: string, id: number): Promise<void> {
    await this.api.ok('DELETE', `/firewall/rules/${table}/${id}`)
  }

  async hits(table: string, id: number): Promise<number> {
    const counts = (await this.api.ok('GET', `/firewall/counters/${table}`)) as { id: number; packets: number }[]
    return counts.find((count) => count.id === id)?.packets ?? 0
  }

  async connectionOf(type: 'lan' | 'wan') {
    const connections = await this.api.ok('GET', '/network/connections')
    return connections.find((one: { type: string }) => one.type === type)
  }
}

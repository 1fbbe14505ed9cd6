// After a power cut all hosts ask for an address at the same time. Each gets one, no two get the same, and no address is given
// out that a host uses which was set up by hand.

import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { leasesPath } from '../../src/engines/dhcp/index.ts'
import { ApiClient } from '../support/api-client.ts'
import { acknowledged, askDhcpTogether, type DhcpAsk } from '../support/dhcp.ts'
import { type LabGateway, startGateway } from '../support/lab-gateway.ts'
import { type LabHost, LabHosts } from '../support/lab-hosts.ts'
import { lacking } from '../support/requires.ts'
import { until } from '../support/until.ts'

const password = 'correct horse 9'
const skip = lacking('/usr/sbin/dnsmasq')
/** Two more than the hosts that ask: one address is used by hand, one belongs to an authorization rule. */
const [first, size, hosts] = [100, 52, 50]
const mac = (at: number): string => `02:00:00:00:ee:${at.toString(16).padStart(2, '0')}`
const asks: readonly DhcpAsk[] = Array.from({ length: hosts }, (_, at) => ({ kind: 'lease', mac: mac(at) }))
const byHand = '10.10.0.120'
const ofRule = '10.10.0.130'

describe('a crowd that asks for addresses', { skip }, () => {
  let gateway: LabGateway
  let api: ApiClient
  let still: LabHost

  const enter = async (started: LabGateway) => {
    gateway = started
    api = new ApiClient(gateway.address)
    await api.signIn('admin', password)
    still = await new LabHosts(gateway, api).beside({ address: `${byHand}/24`, mac: '02:00:00:00:ef:01' })
  }

  before(async () => {
    await enter(await startGateway({ adminPassword: password }))
    const connections = (await api.ok('GET', '/network/connections')) as { id: number; type: string }[]
    const { id: user } = await api.ok('POST', '/user_backend/users', {
      name: 'Printer',
      login: 'printer',
      psw: password,
      parent_id: 'group.id.1',
      comment: '',
    })
    await api.ok('POST', '/auth/rules', {
      enabled: true,
      ip: ofRule,
      mac: null,
      user_id: user,
      always_logged: false,
      comment: '',
    })
    await api.ok('POST', '/dhcp_server/settings', {
      enabled: true,
      interface: `interface.id.${connections.find(({ type }) => type === 'lan')?.id}`,
      relay: null,
      server: {
        dns: [],
        domain: '',
        gateway: '',
        lease_time: 60,
        options: [],
        routes: [],
        wins: [],
        wpad_enabled: false,
        ranges: [`10.10.0.${first}-10.10.0.${first + size - 1}`],
        tftp_filename: '',
        tftp_server: '',
      },
    })
    await isServing()
    await isKnown()
  })
  after(async () => {
    api.close()
    await gateway.stop()
    gateway.removeState()
  })

  const isServing = () =>
    until('DHCP runs', async () => {
      const items = (await api.ok('GET', '/dhcp_server/status')) as { name: string; status: string }[]
      return items.some(({ name, status }) => name === 'dhcp-server' && status === 'active')
    })
  /** The host says something, as every host does after its start, and the gateway takes note of it. */
  const isKnown = () =>
    until('the address of the host is kept for it', async () => {
      await still.exec(['/usr/bin/ping', '-c', '1', '-W', '1', '10.10.0.1'])
      return readFileSync(join(gateway.stateDir, 'dhcp/hosts'), 'utf8').includes(`02:00:00:00:ef:01,${byHand}\n`)
    })
  const allAsk = async (): Promise<readonly string[]> => {
    const answers = await askDhcpTogether(gateway, 'client', asks)
    const given = answers.map((answer) => (answer?.type === acknowledged ? answer.address : 'none'))
    assert.deepEqual(
      given.filter((address) => address === 'none'),
      [],
      'some got none',
    )
    assert.equal(new Set(given).size, hosts, 'two have the same')
    assert.ok(!given.includes(byHand) && !given.includes(ofRule))
    return given
  }

  /** The whole lab starts again with the state that is on the disk. */
  const cutPower = async (between: (stateDir: string) => void) => {
    api.close()
    const { stateDir } = gateway
    await gateway.crash()
    between(stateDir)
    await enter(await startGateway({ adminPassword: password, stateDir }))
    await isServing()
  }

  /** What the gateway sends itself to find out whether an address is free. No one else is served while it waits for the answer. */
  const countPings = async () => {
    const nft = async (...args: readonly string[]) => {
      const { code, stdout, stderr } = await gateway.exec('gateway', ['/usr/sbin/nft', ...args])
      assert.equal(code, 0, stderr)
      return stdout
    }
    const chain = 'add chain ip pings out { type filter hook output priority 0; }'
    await nft(`add table ip pings; ${chain}; add rule ip pings out icmp type echo-request counter`)
    return async (): Promise<number> => {
      const listed = await nft('list', 'table', 'ip', 'pings')
      await nft('delete table ip pings')
      return Number(/packets (\d+)/.exec(listed)?.[1])
    }
  }

  it('is served as a whole, and no offer waits for a ping', async () => {
    const pings = await countPings()
    await allAsk()
    assert.equal(await pings(), 0)
  })

  it('gets the same addresses again after a power cut', async () => {
    const before = await allAsk()
    await cutPower(() => {})
    assert.deepEqual(await allAsk(), before)
  })

  it('is served when the leases were lost too', async () => {
    await cutPower((stateDir) => writeFileSync(join(stateDir, leasesPath), ''))
    await isKnown()
    await allAsk()
  })

  it('that needs more addresses than there are is reported', async () => {
    const more = Array.from(
      { length: 3 },
      (_, at): DhcpAsk => ({ kind: 'lease', mac: mac(200 + at), timeoutMs: 5_000 }),
    )
    const answers = await askDhcpTogether(gateway, 'client', more)
    assert.equal(answers.filter((answer) => answer?.type === acknowledged).length, 0)
    await until('health says so', async () => {
      const { checks } = (await api.ok('GET', '/health')) as {
        checks: { id: string; state: string; message: string }[]
      }
      const found = checks.find(({ id }) => id === 'dhcp-pool')
      return found?.state === 'failed' && found.message.includes('10.10.0.100-10.10.0.151')
    })
  })
})

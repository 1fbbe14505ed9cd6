// One connection through a rule, wherever the gateway shows it: the kernel's counter, the firewall log, the system journal, its tail,
// the traffic journal, the line at the collector and the flow record all have the same numbers.

import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { get } from 'node:https'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { appRoot, runtimePath } from '../../src/tools/launcher/layout.ts'
import { client, type FirewallLab, server, startFirewallLab } from '../support/firewall-lab.ts'
import { decode } from '../support/flow-decoder.ts'
import { lacking } from '../support/requires.ts'
import { until } from '../support/until.ts'

const collector = '198.51.100.77'
const ports = { syslog: 5_514, flows: 2_055 }
const [sourcePort, destinationPort] = [45_678, 9_000]
const [datagrams, bytes] = [7, 200]
const headerBytes = 28

interface JournalRecord {
  readonly id: string
  readonly date_time: number
  readonly microseconds: number
  readonly message: string
}

describe('one connection through a rule', { skip: lacking('/usr/sbin/ulogd') }, () => {
  let lab: FirewallLab
  let kept = ''
  let tail: { text: string; close(): void }

  before(async () => {
    lab = await startFirewallLab()
    kept = join(lab.gateway.stateDir, 'datagrams')
    writeFileSync(kept, '')
    await lab.wire.addAddresses('internet', 'lo', [`${collector}/32`])
    runInInternet('datagram-sink.ts', collector, Object.values(ports).join(), kept)
    runInInternet('flow-traffic.ts', server, `${destinationPort}`)
    await until('the collector and the server listen', async () => {
      const { stdout } = await lab.gateway.exec('internet', ['/usr/bin/ss', '-Hlun'])
      return [...Object.values(ports), destinationPort].every((port) => stdout.includes(`:${port} `))
    })
  })
  after(async () => {
    tail?.close()
    await lab.stop()
  })

  const script = (name: string): string[] => [runtimePath(appRoot), join(appRoot, 'server/test/support', name)]
  const runInInternet = (name: string, ...args: readonly string[]): void =>
    void lab.gateway.exec('internet', [...script(name), ...args], { timeoutMs: 900_000 }).catch(() => {})
  const receivedAt = (port: number): Buffer[] =>
    readFileSync(kept, 'utf8')
      .split('\n')
      .flatMap((line) => (line.startsWith(`${port} `) ? [Buffer.from(line.split(' ')[1] ?? '', 'base64')] : []))
  const statusOf = async (path: string, name?: string): Promise<string | undefined> => {
    const items = (await lab.api.ok('GET', path)) as { name: string; status: string }[]
    return (name === undefined ? items[0] : items.find((item) => item.name === name))?.status
  }

  /** A filter of the query parameters of journals. */
  const where = (...conditions: readonly (readonly [column: string, operator: string, value: string | number])[]) => {
    const items = conditions.map(([column_name, operator, value]) => ({ column_name, operator, value: [value] }))
    return `filter=${encodeURIComponent(JSON.stringify([{ items }]))}`
  }
  const openTail = (query: string): Promise<typeof tail> =>
    new Promise((resolve, reject) => {
      const url = new URL(`/logs_backend/logs/tail?${query}`, lab.gateway.address)
      const options = { rejectUnauthorized: false, headers: { cookie: lab.api.cookie } }
      const request = get(url, options, (reply) => {
        const opened = { text: '', close: () => void request.destroy() }
        reply.setEncoding('utf8').on('error', () => {})
        reply.on('data', (part: string) => {
          opened.text += part
          if (opened.text.includes('retry:')) resolve(opened)
        })
      }).on('error', reject)
    })
  const tailed = (): JournalRecord[] =>
    [...tail.text.matchAll(/^event: records\n(?:id: \d+\n)?data: (.*)\n\n/gm)].flatMap(
      ([, data = '']) => JSON.parse(data) as JournalRecord[],
    )

  it('has the same numbers everywhere', async () => {
    const { api } = lab
    const lan = await lab.connectionOf('lan')
    await api.ok('PATCH', '/firewall/settings', { log_mode: 'all', log_actions: [] })
    const rule = await lab.forward({ action: 'accept', protocol: 'protocol.udp', comment: 'one connection' })
    await lab.addRule('log', { action: 'mark_log' })
    await api.ok('PATCH', '/logs_backend/remote_syslog', {
      host: collector,
      port: ports.syslog,
      protocol: 'udp',
      format: 'syslog',
    })
    await api.ok('PATCH', '/logs_backend/remote_syslog/state', { enabled: true })
    await api.ok('PATCH', '/api/netflow-export/settings', {
      version: 10,
      destination_ip: collector,
      destination_port: ports.flows,
      exported_interfaces: [`interface.id.${lan.id}`],
    })
    await api.ok('PATCH', '/api/netflow-export/state', { enabled: true })
    await until('everything is ready', async () => {
      const states = [statusOf('/firewall/status', 'log'), statusOf('/logs_backend/remote_syslog/status')]
      return (await Promise.all([...states, statusOf('/api/netflow-export/status')])).every((is) => is === 'active')
    })
    await until('flows are counted', () => receivedAt(ports.flows).length > 0)
    const ofRule = where(['message', 'contains', `table FWD rule ${rule} `])
    const [newest] = (await api.ok('GET', '/logs_backend/logs?limit=1')).data as JournalRecord[]
    tail = await openTail(`${ofRule}&after=${newest?.id}`)

    const { code, stderr } = await lab.gateway.exec('client', [
      ...script('flow-traffic.ts'),
      ...[client, sourcePort, server, destinationPort, datagrams, bytes].map(String),
    ])
    assert.equal(code, 0, stderr)

    const text = `UDP src ${client} sport ${sourcePort} dst ${server} dport ${destinationPort} table FWD rule ${rule} action accept`
    await until('the tail shows it', () => tailed().length > 0)
    const [record, ...others] = tailed()
    assert.ok(record)
    assert.deepEqual(others, [])
    assert.equal(record.message, text)

    const journal = await api.ok('GET', `/logs_backend/logs?${ofRule}`)
    assert.deepEqual(journal.data, [record])

    const [hit, ...otherHits] = await api.ok('GET', `/firewall/log?table=FWD&rule_id=${rule}`)
    assert.deepEqual(otherHits, [])
    assert.partialDeepStrictEqual(hit, {
      text,
      rule_id: `${rule}`,
      action: 'accept',
      protocol: 'UDP',
      length: bytes + headerBytes,
      lost: 0,
      source_ip: client,
      source_port: sourcePort,
      destination_ip: server,
      destination_port: destinationPort,
      in_interface: 'lan0',
      out_interface: 'wan0',
    })
    assert.equal(await lab.hits('forward', rule), 1)

    const traffic = await api.ok('GET', `/reports/report/firewall/journal?${where(['src_port', 'equals', sourcePort])}`)
    assert.equal(traffic.rows_before_limit_at_least, 1)
    assert.partialDeepStrictEqual(traffic.data[0], {
      date_time: record.date_time,
      rule_id: rule,
      table: 'fwd',
      action: 'accept',
      result: 'accept',
      protocol: 'UDP',
      src_ip: client,
      src_port: sourcePort,
      dst_ip: server,
      dst_port: destinationPort,
      flow_id: record.id.split('.')[1],
    })

    const lines = () =>
      receivedAt(ports.syslog)
        .map(String)
        .filter((line) => line.endsWith(text))
    await until('the collector has the line', () => lines().length > 0)
    const time = /^<30>1 (\S+)\.(\d{6})/.exec(lines()[0] ?? '')
    assert.deepEqual(
      [lines().length, time?.[1]?.replaceAll(/\D/g, ''), Number(time?.[2])],
      [1, `${record.date_time}`, record.microseconds],
    )
    assert.equal(Math.floor(Date.parse(hit.time) / 1000) % 60, record.date_time % 100)

    // Reports what is open, and ends.
    await api.ok('PATCH', '/api/netflow-export/state', { enabled: false })
    const flows = () =>
      decode(receivedAt(ports.flows)).flows.filter((flow) =>
        [flow.sourcePort, flow.destinationPort].includes(sourcePort),
      )
    await until('the collector has both ways of the flow', () => flows().length === 2)
    const whole = { protocol: 17, packets: BigInt(datagrams), bytes: BigInt(datagrams * (bytes + headerBytes)) }
    const [out, back] = flows().toSorted((a, b) => b.sourcePort - a.sourcePort)
    assert.partialDeepStrictEqual(out, {
      ...whole,
      source: client,
      sourcePort,
      destination: server,
      destinationPort,
    })
    assert.partialDeepStrictEqual(back, {
      ...whole,
      source: server,
      sourcePort: destinationPort,
      destination: client,
      destinationPort: sourcePort,
    })
  })
})

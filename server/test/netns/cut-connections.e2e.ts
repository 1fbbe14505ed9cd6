// cut_connections on the wire: a connection that lasts goes on after a change that refuses it, unless the administrator asks to
// cut it; then it ends, and so do only those that the change refuses.

import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { webAddress } from '../../src/tools/lab/network.ts'
import { type FirewallLab, startFirewallLab } from '../support/firewall-lab.ts'
import { startUpload } from '../support/slow-upload.ts'
import { until } from '../support/until.ts'

interface Session {
  readonly source_proto: string
  readonly bps_out: number
}

interface Listed {
  readonly source_port: number
  readonly destination: string
  readonly rule: string
}

const drop = { enabled: true, protocol: 'protocol.tcp', action: 'drop', comment: '', source_addresses: ['any'] }

describe('cut_connections on the wire', () => {
  let lab: FirewallLab
  before(async () => {
    lab = await startFirewallLab()
  })
  after(() => lab.stop())
  beforeEach(() => lab.clear())

  /** Carries bytes now; rates are those of the last moments. */
  const flows = async (port: number): Promise<boolean> => {
    const sessions = (await lab.api.ok('GET', '/reports/traffic/sessions')) as Session[]
    return sessions.some(({ source_proto, bps_out }) => source_proto === `TCP:${port}` && bps_out > 0)
  }
  const start = async (port: number) => {
    const upload = startUpload(lab.gateway, '--local-port', String(port))
    await until(`the upload from port ${port} carries bytes`, () => flows(port))
    return upload
  }
  const addDrop = async (query: string, fields: object = {}) => {
    const destination = await lab.address(webAddress)
    const body = { ...drop, destination_addresses: [destination], ...fields }
    const answer = await lab.api.call('POST', `/firewall/rules/forward${query}`, body)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer
  }

  it('ends a connection that the change refuses, and a dry run names it first', async () => {
    const upload = await start(41_010)
    const { body: report } = await addDrop('?dry_run=true')
    const listed = (report.connections as Listed[]).find(({ source_port }) => source_port === 41_010)
    assert.equal(listed?.destination, webAddress)
    assert.match(listed?.rule ?? '', /^firewall\.forward\[\d+\]$/)
    assert.ok(await flows(41_010), 'a dry run cuts nothing')
    const answer = await addDrop('?cut_connections=true')
    assert.ok(Number(answer.headers['x-cut-connections']) >= 1)
    await until('no byte passes any more', async () => !(await flows(41_010)))
    const [rule] = (await lab.api.ok('GET', '/firewall/rules/forward')) as { id: number }[]
    await until('its packets meet the rule', async () => (await lab.hits('forward', rule?.id ?? 0)) > 0)
    await lab.clear()
    await upload.end()
  })

  it('leaves it alone when it is not asked for, and cuts nothing that another rule accepts', async () => {
    const upload = await start(41_011)
    await addDrop('')
    const curl = ['/usr/bin/curl', '-sS', '-m', '2', `http://${webAddress}/`]
    assert.notEqual((await lab.gateway.exec('client', curl)).code, 0, 'new connections meet the rule')
    assert.ok(await flows(41_011), 'the established one does not')
    await lab.clear()
    const otherPort = await lab.port(41_012)
    const answer = await addDrop('?cut_connections=true', { source_ports: [otherPort] })
    assert.equal(answer.headers['x-cut-connections'], '0')
    assert.ok(await flows(41_011))
    assert.equal((await upload.end()).code, 0)
  })
})

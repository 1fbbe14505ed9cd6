// The traffic does not depend on those who manage it: while gatewayd and applyd are killed again and again, no answer is
// lost on the way through the gateway, no connection breaks, and every packet is treated as the rules say.
// Requirement 75.

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { webAddress } from '../../src/tools/lab/network.ts'
import { appRoot, runtimePath } from '../../src/tools/launcher/layout.ts'
import { until } from '../support/until.ts'
import type { FetchReport } from './fetch-loop.ts'
import { isNightly, type Lab, reasonToSkip, startLab, statusOf } from './lab.ts'

const restarts = isNightly ? 50 : 5
const gatewayExternal = '203.0.113.2'
const clientAddress = '10.10.0.2'
const limitMs = isNightly ? 600_000 : 300_000

describe('traffic through the gateway', { skip: reasonToSkip() }, () => {
  let lab: Lab
  before(async () => {
    lab = await startLab()
  })
  after(() => lab?.close())

  /** Fetches all the while. */
  async function fetchDuring(work: () => Promise<void>): Promise<FetchReport> {
    const stopFile = join(lab.gateway.stateDir, `stop-${performance.now()}`)
    const script = join(import.meta.dirname, 'fetch-loop.ts')
    const argv = [runtimePath(appRoot), script, `http://${webAddress}/`, stopFile]
    const fetching = lab.gateway.exec('client', argv, { timeoutMs: limitMs })
    try {
      await work()
    } finally {
      writeFileSync(stopFile, '')
    }
    const { code, stdout, stderr } = await fetching
    assert.equal(code, 0, stderr)
    return JSON.parse(stdout) as FetchReport
  }

  for (const name of ['gatewayd', 'applyd'] as const) {
    it(`goes on while ${name} is killed ${restarts} times`, async (t) => {
      const report = await fetchDuring(async () => {
        for (let count = 0; count < restarts; count++) {
          await (name === 'gatewayd' ? lab.gateway.killGatewayd() : lab.gateway.killApplyd())
        }
      })
      t.diagnostic(`${report.answers} answers, slowest ${report.slowestMs.toFixed(1)} ms`)
      assert.deepEqual(report.lost, [])
      assert.deepEqual(report.seen, [gatewayExternal])
      assert.equal(report.keptPorts.length, 1, 'a connection broke')
      assert.ok(report.answers > restarts, 'there was no traffic')
    })
  }

  it('is managed again afterwards', async () => {
    await until('the status is right', async () => (await statusOf(lab.api, 'rules-in-kernel')) === 'active')
    const patch = { automatic_snat_enabled: false }
    assert.equal((await lab.api.call('PATCH', '/firewall/settings', patch)).status, 200)
    const { stdout } = await lab.gateway.exec('client', ['/usr/bin/curl', '-sS', '-m', '60', `http://${webAddress}/`])
    assert.equal((JSON.parse(stdout) as { client: string }).client, clientAddress)
  })
})

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { FakePortalGateway, newcomer } from '../../test/support/fake-portal-gateway.ts'
import { until } from '../../test/support/until.ts'
import { GatewayAway, GatewayBusy, GatewayClient, type GatewayLimits } from './gateway-client.ts'

describe('questions to gatewayd', () => {
  const folder = mkdtempSync(join(tmpdir(), 'portal-client-'))
  const path = join(folder, 'gateway.sock')
  after(() => rmSync(folder, { recursive: true }))

  const withGateway = async (
    limits: Partial<GatewayLimits>,
    work: (gateway: FakePortalGateway, client: GatewayClient) => Promise<void>,
  ): Promise<void> => {
    const gateway = new FakePortalGateway(path)
    await gateway.start()
    await work(gateway, new GatewayClient(path, limits)).finally(() => gateway.stop())
  }

  it('have a deadline, and an answer after it does no harm', async () => {
    await withGateway({ deadlineMs: 20 }, async (gateway, client) => {
      let answer = (): void => {}
      gateway.answers.host = () =>
        new Promise((resolve) => {
          answer = () => resolve(newcomer)
        })
      await assert.rejects(client.call('host', { address: '10.0.0.1' }), GatewayAway)
      answer()
      gateway.answers.host = () => newcomer
      assert.deepEqual(await new GatewayClient(path).call('host', { address: '10.0.0.1' }), newcomer)
    })
  })

  it('wait in a queue that has an end, and all are answered', async () => {
    await withGateway({ asked: 2, all: 6, ofSource: 6 }, async (gateway, client) => {
      const held: (() => void)[] = []
      gateway.answers.host = () => new Promise((resolve) => held.push(() => resolve(newcomer)))
      const answers = Array.from({ length: 6 }, () => client.call('host', { address: '10.0.0.1' }))
      await assert.rejects(client.call('host', { address: '10.0.0.2' }), GatewayBusy)
      await until('two are asked', () => held.length === 2)
      for (let count = 0; count < 6; count++) {
        await until('another one is asked', () => held.length > 0)
        assert.ok(held.length <= 2)
        held.shift()?.()
      }
      assert.equal((await Promise.all(answers)).length, 6)
    })
  })

  it('that do no harm are asked again when the connection is lost, others are not', async () => {
    await withGateway({}, async (gateway, client) => {
      const { answers } = gateway
      const forever = <T>(): Promise<T> => new Promise<T>(() => {})
      gateway.answers = { ...answers, host: () => forever(), signIn: () => forever() }
      const harmless = client.call('host', { address: '10.0.0.1' })
      const once = assert.rejects(
        client.call('signIn', { address: '10.0.0.1', login: 'a', password: 'b' }),
        GatewayAway,
      )
      await until('both are asked', () => gateway.calls.length === 2)
      gateway.answers = answers
      gateway.disconnect()
      await once
      assert.deepEqual(await harmless, newcomer)
      assert.deepEqual(
        gateway.calls.map(({ verb }) => verb),
        ['host', 'signIn', 'host'],
      )
    })
  })

  it('that are too long are not asked', async () => {
    await withGateway({}, async (gateway, client) => {
      const password = '\0'.repeat(4_000)
      await assert.rejects(client.call('signIn', { address: '10.0.0.1', login: 'a', password }), GatewayAway)
      assert.equal(gateway.calls.length, 0)
    })
  })
})

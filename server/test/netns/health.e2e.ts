// Health on a real gateway: an engine that keeps dying leads to one mail, its recovery to one more, and a restart to none.

import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { ensureCertificate } from '../../src/shared/certificates/tls.ts'
import { appRoot, runtimePath } from '../../src/tools/launcher/layout.ts'
import { DnsLab, dnsSkip } from '../support/dns-lab.ts'
import type { ReceivedMail } from '../support/smtp-server.ts'
import { until } from '../support/until.ts'

const [host, port] = ['203.0.113.1', 5587]

interface Check {
  readonly id: string
  readonly state: string
}

describe('health of a real gateway', { skip: dnsSkip }, () => {
  let lab: DnsLab
  let mails: () => ReceivedMail[]
  before(async () => {
    lab = await DnsLab.start()
    mails = await startMailServer(lab)
  })
  after(() => lab.stop())

  const checks = async (): Promise<Check[]> => (await lab.ok('GET', '/health')).checks
  /** What the mails say of a service, in their order; a busy machine may cause others. */
  const about = (service: string): string[] =>
    mails().flatMap(({ data }) =>
      [...data.matchAll(/^(Failed|Recovered): Service (\w+)\r?$/gm)].flatMap(([, word = '', name]) =>
        name === service ? [word] : [],
      ),
    )
  const stateOf = async (id: string) => (await checks()).find((check) => check.id === id)?.state

  it('has a check for each service that runs', async () => {
    await until('the first look is over', async () => (await stateOf('unit.dns')) === 'ok')
    for (const id of ['applyd', 'apply', 'tables', 'disk', 'memory', 'load', 'clock', 'certificate.management'])
      await until(`there is the check ${id}`, async () => (await stateOf(id)) !== undefined)
    assert.equal(await stateOf('apply'), 'ok')
  })

  it('sends one mail when a service keeps failing, one when it runs again, and none after a restart', async () => {
    lab.gateway.log.expect(/^error: applyd: dns ended with signal SIGKILL/)
    // It may be killed before it answers for the first time.
    lab.gateway.log.allow(/^error: applyd: dns failed its health check .*ended right after its start/)
    const target = await lab.add('/health/notifications/mail', {
      title: 'Team',
      server: host,
      port,
      security: 'starttls',
      login: 'gateway',
      password: 'secret word',
      ca: authority(lab),
      from: 'gateway@example.test',
      to: ['admin@example.test'],
    })
    const tested = await lab.ok('POST', `/health/notifications/mail/${target}/test`)
    assert.deepEqual(tested, { is_delivered: true, message: '' })
    assert.equal(mails().length, 1)
    await until('the failure is mailed', async () => {
      const pid = await lab.serverPid()
      if (pid !== null) await lab.gateway.exec('gateway', ['/usr/bin/kill', '-KILL', `${pid}`])
      return about('dns').length > 0
    })
    await until('the recovery is mailed', () => about('dns').length > 1)
    assert.equal(await stateOf('unit.dns'), 'ok')
    const { series } = await lab.ok('GET', '/health/charts?group=interfaces')
    assert.ok((series as { name: string }[]).some(({ name }) => name === 'lan0/bytes_in'))
    await lab.gateway.killGatewayd()
    await lab.signIn()
    await until('it looks again', async () => (await stateOf('unit.dns')) === 'ok')
    assert.deepEqual(about('dns'), ['Failed', 'Recovered'])
    assert.ok(mails().every(({ isEncrypted, login }) => isEncrypted && login === 'gateway'))
  })

  it('does not send to itself', async () => {
    const target = await lab.add('/health/notifications/webhooks', { title: 'Own', url: 'https://127.0.0.1:8443/' })
    const tested = await lab.ok('POST', `/health/notifications/webhooks/${target}/test`)
    assert.equal(tested.is_delivered, false)
    assert.match(tested.message, /does not belong to another machine/)
  })
})

const folderOf = (lab: DnsLab): string => join(lab.gateway.stateDir, 'lab', 'mail')
const authority = (lab: DnsLab): string => readFileSync(join(folderOf(lab), 'ca.pem'), 'utf8')

/** The mail server in the internet; answers what it received. */
async function startMailServer(lab: DnsLab): Promise<() => ReceivedMail[]> {
  const folder = folderOf(lab)
  const { key, chain } = await ensureCertificate(folder, [host], new Date())
  writeFileSync(join(folder, 'ca.pem'), chain)
  const logFile = join(folder, 'mails')
  writeFileSync(logFile, '')
  const input = JSON.stringify({ key, chain, logFile, host, port })
  const script = join(appRoot, 'server/test/support/mail-receiver.ts')
  void lab.gateway.exec('internet', [runtimePath(appRoot), script], { input, timeoutMs: 900_000 }).catch(() => {})
  await until('the mail server listens', async () => {
    const { stdout } = await lab.gateway.exec('internet', ['/usr/bin/ss', '-Hltn'])
    return stdout.includes(`${host}:${port} `)
  })
  return () =>
    readFileSync(logFile, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as ReceivedMail)
}

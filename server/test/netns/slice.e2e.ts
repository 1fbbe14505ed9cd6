// The thin slice on the wire: what an administrator sets is what packets in the lab do, and what fails or is not
// confirmed is reverted, whatever dies in between.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { ApiClient } from '../support/api-client.ts'
import { type LabGateway, startGateway } from '../support/lab-gateway.ts'
import { until } from '../support/until.ts'

const password = 'correct horse 9'
const gatewayExternal = '203.0.113.2'
const clientAddress = '10.10.0.2'

describe('the lab', () => {
  let gateway: LabGateway
  let api: ApiClient
  before(async () => {
    // A test covers the nft program by one that refuses.
    gateway = await startGateway({ adminPassword: password, env: { PORTCULLIS_NFT: 'program' } })
    api = new ApiClient(gateway.address)
    await api.signIn('admin', password)
    await until('the rules are in the kernel', async () => (await statusOf('rules-in-kernel')) === 'active')
  })
  after(async () => {
    api.close()
    await gateway.stop()
  })

  const statusOf = async (name: string): Promise<string> => {
    const { body } = await api.call('GET', '/firewall/status')
    return body.find((item: { name: string }) => item.name === name).status
  }
  /** Which address the internet's web server saw. */
  const seenAddress = async (): Promise<string> => {
    const { stdout, stderr } = await gateway.exec('client', [
      '/usr/bin/curl',
      '-sS',
      '-m',
      '5',
      'http://www.example.test/',
    ])
    assert.equal(stderr, '')
    return (JSON.parse(stdout) as { client: string }).client
  }
  const patch = (on: boolean, headers = {}) =>
    api.call('PATCH', '/firewall/settings', { automatic_snat_enabled: on }, headers)
  /** Without the hosts that have connections now: those come and go by themselves. */
  const ruleset = async (): Promise<string> => {
    const { stdout } = await gateway.exec('gateway', ['/usr/sbin/nft', '-s', 'list', 'table', 'inet', 'portcullis'])
    return stdout.replaceAll(/elements = \{[^}]* ct count [^}]*\}/g, '')
  }

  it('hides the client behind the gateway while automatic SNAT is on, and not when it is off', async () => {
    assert.equal(await seenAddress(), gatewayExternal)
    assert.equal(await statusOf('auto-snat'), 'active')
    assert.equal((await patch(false)).status, 200)
    assert.equal(await seenAddress(), clientAddress)
    assert.equal(await statusOf('auto-snat'), 'inactive')
    assert.equal((await patch(true)).status, 200)
    assert.equal(await seenAddress(), gatewayExternal)
  })

  it('reverts an unconfirmed change by itself', async () => {
    assert.equal((await patch(false, { 'portcullis-confirm-within': '3' })).status, 200)
    assert.equal(await seenAddress(), clientAddress)
    await until('it is back', async () => (await seenAddress()) === gatewayExternal)
    assert.equal((await api.call('GET', '/firewall/settings')).body.automatic_snat_enabled, true)
  })

  it('reverts it also when gatewayd is killed in between', async () => {
    assert.equal((await patch(false, { 'portcullis-confirm-within': '3' })).status, 200)
    await gateway.killGatewayd()
    assert.equal(await seenAddress(), clientAddress)
    await until('it is back', async () => (await seenAddress()) === gatewayExternal)
    assert.equal((await api.call('GET', '/firewall/settings')).body.automatic_snat_enabled, true)
  })

  it('reverts it also when applyd is killed in between', async () => {
    assert.equal((await patch(false, { 'portcullis-confirm-within': '3' })).status, 200)
    await gateway.killApplyd()
    // What was not yet settled is undone at its start, and applied again right after.
    await until('the change is in force', async () => (await seenAddress()) === clientAddress)
    await until('it is back', async () => (await seenAddress()) === gatewayExternal)
  })

  it('answers 422 naming the object when the checker refuses, and leaves store, files and kernel as they were', async () => {
    assert.equal((await patch(false)).status, 200)
    const before = {
      rules: await ruleset(),
      settings: (await api.call('GET', '/firewall/settings')).body,
      revision: (await api.call('GET', '/config/revisions?limit=1')).body,
      record: appliedRecord(),
    }
    await withRefusingChecker(async () => {
      const { status, body } = await patch(true)
      assert.equal(status, 422)
      assert.equal(body.code, 'invalid')
      assert.deepEqual(
        body.problems.map((problem: { field: string }) => problem.field),
        ['firewall.settings.automatic_snat_enabled'],
      )
      assert.match(body.problems[0].message, /refused on purpose/)
      const dryRun = await api.call('PATCH', '/firewall/settings?dry_run=true', { automatic_snat_enabled: true })
      assert.equal(dryRun.status, 422)
    })
    assert.deepEqual(
      {
        rules: await ruleset(),
        settings: (await api.call('GET', '/firewall/settings')).body,
        revision: (await api.call('GET', '/config/revisions?limit=1')).body,
        record: appliedRecord(),
      },
      before,
    )
    assert.equal(await seenAddress(), clientAddress)
    assert.equal((await patch(true)).status, 200)
  })

  it('finds and repairs rules that someone removed by hand', async () => {
    await gateway.exec('gateway', ['/usr/sbin/nft', 'delete', 'table', 'inet', 'portcullis'])
    // They may be back before the status is asked for.
    const table = ['/usr/sbin/nft', 'list', 'table', 'inet', 'portcullis']
    await until('they are back', async () => (await gateway.exec('gateway', table)).code === 0)
    await until('the status shows it', async () => (await statusOf('rules-in-kernel')) === 'active')
    assert.equal(await seenAddress(), gatewayExternal)
  })

  it('goes on forwarding while gatewayd is away', async () => {
    const killed = gateway.killGatewayd()
    assert.equal(await seenAddress(), gatewayExternal)
    await killed
  })

  it('shows a missing applyd honestly and comes back', async () => {
    await gateway.killApplyd()
    await until('it is active', async () => (await statusOf('rules-in-kernel')) === 'active')
  })

  it('runs gatewayd without privileges and applyd as root, with a socket only they share', () => {
    const { gatewayd, applyd } = gateway.pids()
    const statusLines = readFileSync(`/proc/${gatewayd}/status`, 'utf8')
    assert.match(statusLines, /^CapEff:\s+0+$/m)
    assert.match(statusLines, /^CapBnd:\s+0+$/m)
    assert.match(statusLines, /^NoNewPrivs:\s+1$/m)
    if (process.getuid?.() === 0) assert.doesNotMatch(statusLines, /^Uid:\s+0\s/m)
    assert.match(readFileSync(`/proc/${applyd}/status`, 'utf8'), /^Uid:\s+0\s/m)
  })

  it('writes an audit record of every change, and the chain with its checkpoints is intact', async () => {
    const { body } = await api.call('GET', '/journal/verify')
    assert.equal(body.intact, true)
    const records = (await api.call('GET', '/journal/records?limit=1000')).body as { event: string; result: string }[]
    assert.ok(records.some(({ event, result }) => event === 'refused' && result === 'invalid'))
    assert.ok(records.some(({ event }) => event === 'change'))
  })

  const appliedRecord = (): string => readFileSync(join(gateway.stateDir, 'applyd', 'applied.json'), 'utf8')

  /** Inside the lab's own mounts, nft is covered by a program that refuses scripts; everything else goes through. */
  async function withRefusingChecker(work: () => Promise<void>): Promise<void> {
    const real = join(gateway.stateDir, 'real-nft')
    const refusing = join(gateway.stateDir, 'refusing-nft')
    const asked = join(gateway.stateDir, 'asked-nft')
    writeFileSync(real, readFileSync('/usr/sbin/nft'), { mode: 0o755 })
    writeFileSync(
      refusing,
      [
        '#!/bin/sh',
        `case " $* " in *" -f - "*) ;; *) exec ${real} "$@" ;; esac`,
        `cat > ${asked}`,
        `line=$(grep -n masquerade ${asked} | cut -d: -f1)`,
        `[ -n "$line" ] || exec ${real} "$@" < ${asked}`,
        'echo "/dev/stdin:$line:5-20: Error: refused on purpose" >&2',
        'exit 1',
        '',
      ].join('\n'),
    )
    chmodSync(refusing, 0o755)
    const inLab = (...argv: string[]) => {
      const { status, stderr } = spawnSync('/usr/bin/nsenter', [
        `--target=${gateway.pids().applyd}`,
        '--mount',
        '--pid',
        '--',
        ...argv,
      ])
      assert.equal(status, 0, String(stderr))
    }
    inLab('/bin/mount', '--bind', refusing, '/usr/sbin/nft')
    try {
      await work()
    } finally {
      inLab('/bin/umount', '/usr/sbin/nft')
    }
  }
})

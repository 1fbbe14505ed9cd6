// The status says what is: every change made to the machine by hand shows in /firewall/status and is corrected.
// Requirement 76.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { until } from '../support/until.ts'
import { isNightly, type Lab, onlyNightly, reasonToSkip, startLab, statusOf } from './lab.ts'

const table = 'inet portcullis'

interface Disturbance {
  readonly title: string
  /** Commands of nft. */
  readonly nft: readonly string[]
  /** Also in the ordinary run. */
  readonly isBrief?: true
}

const disturbances: readonly Disturbance[] = [
  { title: 'the table is deleted', nft: [`delete table ${table}`], isBrief: true },
  { title: 'all rules are flushed', nft: [`flush table ${table}`] },
  { title: 'the whole ruleset is flushed', nft: ['flush ruleset'] },
  { title: 'a chain is flushed', nft: [`flush chain ${table} postrouting`] },
  { title: 'the rule for established connections is flushed', nft: [`flush chain ${table} forward`] },
  { title: 'a foreign rule is added', nft: [`add rule ${table} forward tcp dport 9 drop`] },
  { title: 'a foreign rule is put first', nft: [`insert rule ${table} postrouting return`] },
  { title: 'a rule is there twice', nft: [`add rule ${table} input ct state established,related counter accept`] },
  {
    title: 'a network is taken out of a set',
    nft: [`delete element ${table} net_private { 10.0.0.0/8 }`],
    isBrief: true,
  },
  { title: 'a network is put into a set', nft: [`add element ${table} net_private { 100.64.0.0/10 }`] },
  { title: 'a set is emptied', nft: [`flush set ${table} net_private`] },
  { title: 'an interface is taken out of a set', nft: [`delete element ${table} if_external { "wan0" }`] },
  { title: 'an interface is put into a set', nft: [`add element ${table} if_external { "lan0" }`] },
  { title: 'a foreign set is added', nft: [`add set ${table} foreign { type ipv4_addr; }`] },
  { title: 'a foreign map is added', nft: [`add map ${table} foreign { type ipv4_addr : verdict; }`] },
  { title: 'a foreign counter is added', nft: [`add counter ${table} foreign`] },
  { title: 'a foreign chain is added', nft: [`add chain ${table} foreign`] },
  {
    title: 'a foreign chain that drops is added',
    nft: [`add chain ${table} foreign { type filter hook forward priority -10; policy drop; }`],
  },
  { title: 'a policy is changed', nft: [`chain ${table} forward { policy drop; }`] },
  { title: 'the table is put to sleep', nft: [`add table ${table} { flags dormant; }`] },
  {
    title: 'the table is replaced by an empty one',
    nft: [`delete table ${table}`, `add table ${table}`],
  },
  {
    title: 'a chain is replaced by one of another priority',
    nft: [
      `delete chain ${table} forward`,
      `add chain ${table} forward { type filter hook forward priority 10; policy accept; }`,
      `add rule ${table} forward ct state established,related counter accept comment "fwd.sys.established"`,
    ],
  },
  {
    title: 'a rule is replaced by one that does something else under the same name',
    nft: [
      `flush chain ${table} postrouting`,
      `add rule ${table} postrouting counter accept comment "firewall.settings.automatic_snat_enabled"`,
    ],
  },
]

describe('the firewall status', { skip: reasonToSkip() }, () => {
  let lab: Lab
  let whole: string
  const chosen = disturbances.filter(({ isBrief }) => isNightly || isBrief)
  before(async () => {
    lab = await startLab()
    whole = await ruleset()
  })
  after(() => lab?.close())

  const ruleset = async (): Promise<string> =>
    (await lab.gateway.exec('gateway', ['/usr/sbin/nft', '-s', 'list', 'table', 'inet', 'portcullis'])).stdout

  const isRight = async (): Promise<boolean> =>
    (await statusOf(lab.api, 'rules-in-kernel')) === 'active' && (await ruleset()) === whole

  for (const { title, nft } of chosen) {
    it(`shows and puts right when ${title}`, async () => {
      // The repair may be quicker than the question. Then the kernel must really be right, and it is disturbed once more.
      await until('it is shown', async () => {
        const { code, stderr } = await lab.gateway.exec('gateway', ['/usr/sbin/nft', '-f', '-'], {
          input: nft.join('\n'),
        })
        assert.equal(code, 0, stderr)
        const isShown = (await statusOf(lab.api, 'rules-in-kernel')) === 'failed'
        if (!isShown) assert.equal(await ruleset(), whole, 'it is not shown')
        return isShown
      })
      await until('it is put right', isRight)
    })
  }

  it('says that applyd hangs, and when it does not any more', async () => {
    const { applyd } = lab.gateway.pids()
    process.kill(applyd, 'SIGSTOP')
    try {
      assert.equal(await statusOf(lab.api, 'rules-in-kernel'), 'failed')
      const patch = { enabled: true }
      const { status } = await lab.api.call('PATCH', '/gather_stat/settings', patch)
      assert.equal(status, 200, 'a change that the machine does not notice was held up')
    } finally {
      process.kill(applyd, 'SIGCONT')
    }
    await until('it is right again', isRight)
    assert.equal(lab.gateway.pids().applyd, applyd)
  })

  it('says that the way to the internet is gone, and when it is back', { skip: onlyNightly }, async () => {
    const ip = (...args: string[]) => lab.gateway.exec('gateway', ['/usr/sbin/ip', ...args])
    await ip('link', 'set', 'wan0', 'down')
    await until('it is shown', async () => (await statusOf(lab.api, 'auto-snat')) === 'failed')
    await ip('link', 'set', 'wan0', 'up')
    await ip('route', 'add', 'default', 'via', '203.0.113.1')
    await until(
      'it is right again',
      async () => (await statusOf(lab.api, 'auto-snat')) === 'active' && (await isRight()),
    )
  })

  it('comes back by itself when applyd is killed', async () => {
    await lab.gateway.killApplyd()
    await until('it is right', isRight)
  })
})

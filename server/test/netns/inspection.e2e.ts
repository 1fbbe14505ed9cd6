// Deep inspection of real connections: what happens to an attack by profile, what is left alone, several profiles at once,
// changes under load, and an engine that is killed or hangs.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { client, otherClient } from '../support/firewall-lab.ts'
import { until } from '../support/until.ts'
import { type AskOptions, siteAddress, WebLab } from '../support/web-lab.ts'

const site = `http://${siteAddress}`
const attack = `${site}/steal-everything`
const harmless = `${site}/page`

/** A request that is silently dropped ends by this limit. */
const from = (address: string): AskOptions => ({ args: ['-m', '4', '--interface', address] })

const signature = (sid: number, action: string, uri: string): string =>
  `${action} http any any -> any any (msg:"Test ${sid}"; flow:to_server,established; http.uri; content:"${uri}"; ` +
  `classtype:web-application-attack; metadata:mitre_tactic_id TA0001; sid:${sid}; rev:1;)`

interface Inspected {
  readonly state: string
  readonly channels: readonly { readonly number: number; readonly ready: boolean }[]
}

describe('inspection', () => {
  let lab: WebLab
  before(async () => {
    lab = await WebLab.start()
    for (const [sid, action, uri] of [
      [1001, 'alert', '/steal-everything'],
      [1002, 'reject', '/reset-me'],
    ] as const)
      await lab.api.ok('POST', '/ips/custom', { comment: '', rule: signature(sid, action, uri) })
  })
  after(() => lab.stop())

  const ok = (method: string, path: string, body?: object) => lab.api.ok(method, path, body)

  /** With one rule for each pair of sid and action. */
  async function addProfile(name: string, ...rules: readonly (readonly [sid: number, action: string])[]) {
    const { id } = (await ok('POST', '/ips/profiles-create-with-rules', {
      name,
      comment: '',
      rules: rules.map(([sid, action]) => ({
        filters: [{ key: 'sid', operator: 'equals', values: [sid] }],
        action,
        comment: '',
      })),
    })) as { id: string }
    return id
  }

  /** Accepts what the client opens, and has it inspected with the profile. */
  async function addRule(address: string, fields: object): Promise<number> {
    const { id: object } = (await ok('POST', '/aliases/ip_addresses', {
      title: `Host ${address}`,
      comment: '',
      value: address,
    })) as { id: string }
    const { id } = (await ok('POST', '/firewall/rules/forward', {
      enabled: true,
      protocol: 'any',
      comment: '',
      action: 'accept',
      source_addresses: [object],
      destination_addresses: ['any'],
      ...fields,
    })) as { id: number }
    return id
  }

  const clearRules = async (): Promise<void> => {
    for (const { id } of (await ok('GET', '/firewall/rules/forward')) as { id: number }[])
      await ok('DELETE', `/firewall/rules/forward/${id}`)
  }

  /** Every channel in use is inspected with its present rules. */
  const isReady = (channels: number): Promise<void> =>
    until(`${channels} channels are inspected`, async () => {
      const now = (await ok('GET', '/inspection/channels')) as Inspected
      return now.state === 'active' && now.channels.length === channels && now.channels.every(({ ready }) => ready)
    })

  const statusText = async (): Promise<string> => JSON.stringify(await ok('GET', '/ips/status'))

  const events = async (sid: number): Promise<Record<string, unknown>[]> => {
    const filter = [
      { items: [{ column_name: 'signature_id', operator: 'equals', value: [sid] }], link_operator: 'and' },
    ]
    const { data } = (await ok(
      'GET',
      `/security_events/journal?filter=${encodeURIComponent(JSON.stringify(filter))}`,
    )) as {
      data: Record<string, unknown>[]
    }
    return data
  }

  const engines = (): readonly number[] => lab.gateway.processesOf('suricata.yaml')

  it('lets everything pass while no rule asks for it', async () => {
    await ok('PATCH', '/ips/state', { enabled: true })
    await lab.expectStatus(attack, 200, from(client))
    assert.equal(((await ok('GET', '/inspection/channels')) as Inspected).state, 'off')
    assert.deepEqual(engines(), [])
  })

  describe('by profile', () => {
    let profiles: { alert: string; drop: string; reject: string }
    before(async () => {
      profiles = {
        alert: await addProfile('Alerts', [1001, 'alert']),
        drop: await addProfile('Drops', [1001, 'drop']),
        reject: await addProfile('Rejects', [1002, 'default']),
      }
    })
    after(clearRules)

    it('reports an attack and lets it pass', async () => {
      const rule = await addRule(client, { ips_enabled: true, ips_profile: profiles.alert })
      await isReady(1)
      await lab.expectStatus(attack, 200, from(client))
      await until('the event is in the journal', async () => (await events(1001)).length > 0)
      const [event] = await events(1001)
      assert.equal(event?.result, 'allowed')
      assert.equal(event?.src_ip, client)
      assert.equal(event?.rule_id, rule)
      assert.equal(event?.profile, 'Alerts')
    })

    it('drops it, with another profile for another host at the same time', async () => {
      await addRule(otherClient, { ips_enabled: true, ips_profile: profiles.drop })
      await isReady(2)
      await lab.expectStatus(harmless, 200, from(otherClient))
      await lab.expectStatus(attack, 0, from(otherClient))
      await lab.expectStatus(attack, 200, from(client))
      await until('the drop is in the journal', async () =>
        (await events(1001)).some(({ result, src_ip }) => result === 'blocked' && src_ip === otherClient),
      )
      assert.ok((await events(1001)).every(({ result, src_ip }) => (result === 'blocked') === (src_ip === otherClient)))
    })

    it('resets it', async () => {
      await clearRules()
      await addRule(client, { ips_enabled: true, ips_profile: profiles.reject })
      await isReady(1)
      const answer = await lab.ask(`${site}/reset-me`, from(client))
      // Of curl: the connection was reset, or closed without an answer.
      assert.ok([52, 56].includes(answer.code ?? 0), `${answer.code} ${answer.fault}`)
      await lab.expectStatus(attack, 200, from(client))
    })

    it('leaves exceptions alone', async () => {
      await clearRules()
      await addRule(client, { ips_enabled: true, ips_profile: profiles.drop })
      await isReady(1)
      await lab.expectStatus(attack, 0, from(client))
      const { id: object } = (await ok('POST', '/aliases/ip_addresses', {
        title: 'Trusted',
        comment: '',
        value: client,
      })) as { id: string }
      const { id } = (await ok('POST', '/ips/bypass', { aliases: [object], comment: '', enabled: true })) as {
        id: string
      }
      await lab.expectStatus(attack, 200, from(client))
      await ok('DELETE', `/ips/bypass/${id}`)
      await lab.expectStatus(attack, 0, from(client))
    })

    it('hands encrypted connections back after their first packets, and no others', async () => {
      await lab.expectStatus('https://a.sites.test/page', 200, { trusts: 'sites', ...from(client) })
      await lab.expectStatus(harmless, 200, from(client))
      const { stdout } = await lab.gateway.exec('gateway', ['/usr/bin/cat', '/proc/net/nf_conntrack'])
      const marks = (port: number): string[] =>
        stdout
          .split('\n')
          .filter((line) => line.includes(` dst=${siteAddress} `) && line.includes(` dport=${port} `))
          .map((line) => /mark=([0-9]+)/.exec(line)?.[1] ?? '')
      const isDone = (mark: string): boolean => (Number(mark) & 0x1_0000) !== 0
      assert.ok(marks(443).some(isDone), stdout)
      assert.ok(marks(80).length > 0 && !marks(80).some(isDone), stdout)
    })

    it('is explained', async () => {
      const explained = (await ok('POST', '/firewall/explain', {
        packet: {
          source: client,
          destination: siteAddress,
          protocol: 'tcp',
          destination_port: 80,
          incoming_interface: 'lan0',
        },
      })) as { outcomes: { steps: { stage: string; text: string }[] }[] }
      const steps = explained.outcomes.flatMap((outcome) => outcome.steps)
      assert.match(steps.find(({ stage }) => stage === 'inspection')?.text ?? '', /Drops/)
    })

    it('inspects what the web proxy opens for a client', async () => {
      await lab.filter(true)
      await lab.setRules({ categories: ['special.id.1'], access: 'bump' })
      await lab.expectStatus('http://a.sites.test/page', 200, from(client))
      const answer = await lab.ask('http://a.sites.test/steal-everything', from(client))
      assert.notEqual(answer.status, 200)
      await lab.setRules()
      await lab.filter(false)
    })

    it('answers a client on a port that a connection of the web proxy for it still has', async () => {
      const port = 40_001
      // As the proxy does it. Its packets stay here, so that only the socket is in the way.
      const held = [
        'use Socket; socket(my $s, AF_INET, SOCK_STREAM, 0) or die; setsockopt($s, 0, 19, pack("i", 1)) or die',
        `bind($s, pack_sockaddr_in(${port}, inet_aton("${client}"))) or die`,
        `connect($s, pack_sockaddr_in(80, inet_aton("${siteAddress}")))`,
      ].join('; ')
      const inGateway = async (...command: readonly string[]): Promise<string> => {
        const { code, stdout, stderr } = await lab.gateway.exec('gateway', command)
        assert.equal(code, 0, stderr)
        return stdout
      }
      const staying = 'type filter hook output priority raw; policy accept;'
      await inGateway(
        '/usr/sbin/nft',
        `add table ip held; add chain ip held out { ${staying} }; add rule ip held out ip saddr ${client} drop`,
      )
      void lab.gateway.exec('gateway', ['/usr/bin/perl', '-e', held]).catch(() => {})
      const sockets = () => inGateway('/usr/bin/ss', '-Htn', 'state', 'syn-sent', `sport = :${port}`)
      await until('the socket is there', async () => (await sockets()) !== '')
      await lab.expectStatus(harmless, 200, {
        args: ['-m', '4', '--interface', client, '--local-port', `${port}`],
      })
      assert.notEqual(await sockets(), '')
      for (const pid of lab.gateway.processesOf('inet_aton')) process.kill(pid, 'SIGKILL')
      await inGateway('/usr/sbin/nft', 'delete table ip held')
    })
  })

  describe('while things change', () => {
    let drop: string
    let rule: number
    before(async () => {
      drop = await addProfile('Changed under load', [1001, 'drop'])
      rule = await addRule(client, { ips_enabled: true, ips_profile: drop })
      await isReady(1)
    })
    after(clearRules)

    it('fails no request of many while rules are loaded again', async () => {
      const requests = 10_000
      const script = [
        "const http=require('node:http'),faults=[];let left=Number(process.argv[1]),open=0",
        'const next=()=>{if(left--<=0){if(open===0){console.log(JSON.stringify(faults));process.exit(0)}return}',
        'open++;const done=(fault)=>{if(fault)faults.push(fault);open--;next()}',
        `const r=http.get({host:'${siteAddress}',path:'/page',agent:false,timeout:60000},(a)=>{a.resume();a.on('end',()=>done(a.statusCode===200?null:'status '+a.statusCode))})`,
        "r.on('error',({syscall,code,message})=>done([syscall,code,message].join(' ')))}",
        'for(let i=0;i<16;i++)next()',
      ].join(';\n')
      const load = lab.gateway.exec('client', [process.execPath, '-e', script, String(requests)], {
        timeoutMs: 600_000,
      })
      let isOver = false
      void load.finally(() => {
        isOver = true
      })
      let changes = 0
      for (const action of ['alert', 'drop']) {
        if (isOver) break
        const [{ id }] = (await ok('GET', `/ips/profiles/${drop}/rules`)) as [{ id: number }]
        await ok('PATCH', `/ips/profiles/${drop}/rules/${id}`, { action })
        await isReady(1)
        if (!isOver) changes++
      }
      const { stdout } = await load
      assert.deepEqual(JSON.parse(stdout), [])
      assert.ok(changes > 0, 'the rules were loaded again while requests went on')
    })

    it('passes what a killed engine cannot look at, and says so', async () => {
      lab.gateway.log.expect(/^error: applyd: inspection ended with signal SIGKILL/)
      const killed = engines()
      assert.notDeepEqual(killed, [], 'the engine runs')
      for (const pid of killed) process.kill(pid, 'SIGKILL')
      await lab.expectStatus(harmless, 200, from(client))
      await until(
        'the engine is back',
        async () => engines().length > 0 && (await lab.statusOf(attack, from(client))) === 0,
      )
      await until('the status says that it is active', async () => /"active"/.test(await statusText()))
    })

    it('blocks it where the profile says so', async () => {
      const before = engines()
      await ok('PATCH', `/inspection/profiles/${drop}`, { on_failure: 'block' })
      await until('the engine starts anew, to block what it has no memory for', () =>
        Promise.resolve(engines().length > 0 && !engines().some((one) => before.includes(one))),
      )
      await until('traffic passes', async () => (await lab.statusOf(harmless, from(client))) === 200)
      // The change has settled: an apply that meets a stopped engine would end it in its own way.
      await isReady(1)
      const [pid] = engines()
      assert.ok(pid)
      lab.gateway.log.expect(/^error: applyd: The inspection engine did not take packets for a second/)
      process.kill(pid, 'SIGSTOP')
      // What the stopped engine holds does not pass; it is found and ended.
      await until('the engine was replaced', () => {
        const now = engines()
        return Promise.resolve(now.length > 0 && !now.includes(pid))
      })
      await until('traffic passes again', async () => (await lab.statusOf(harmless, from(client))) === 200)
      await lab.expectStatus(attack, 0, from(client))
    })

    it('is active again only when the engine that started again inspects', async () => {
      for (const on_failure of ['pass', 'block', 'pass']) {
        const before = engines()
        await ok('PATCH', `/inspection/profiles/${drop}`, { on_failure })
        await isReady(1)
        assert.ok(!engines().some((one) => before.includes(one)), `${on_failure}: it is another engine`)
        await lab.expectStatus(attack, 0, from(client))
      }
    })

    it('ends with the last rule that asks for it', async () => {
      await ok('DELETE', `/firewall/rules/forward/${rule}`)
      await until('the engine is gone', () => Promise.resolve(engines().length === 0))
      await lab.expectStatus(attack, 200, from(client))
    })
  })
})

// The gw command end to end: real TLS and the real gateway behind it, with the machine faked. The whole way of a first
// session and the reset run as processes of their own.
// Requirement 20.

import assert from 'node:assert/strict'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { userSessionsService } from '../../src/areas/authorization/service.ts'
import { logsService } from '../../src/areas/logs/service.ts'
import { say } from '../../src/shared/said.ts'
import { ListedSessions } from '../support/listed-sessions.ts'
import { replaceServices } from '../support/provided.ts'
import { testPassword } from '../support/test-gateway.ts'
import { until } from '../support/until.ts'
import { type CliWorld, createCliWorld, type Said } from './gw-process.ts'

let world: CliWorld
const gw = (...words: string[]): Promise<Said> => world.gw(words)
const gwProcess = (...words: string[]): Promise<Said> => world.gwProcess(words)
/** As on another machine, where no file of the gateway is the proof of its certificate. */
const elsewhere = { PORTCULLIS_STATE: '/nonexistent' }
const sessionFile = (): string => join(world.stateDir, '..', 'config', 'portcullis', 'session.json')

async function signIn(login = 'root'): Promise<void> {
  const said = await world.gw(['login', '--address', world.address, '--login', login, '--trust'], {
    input: `${testPassword}\n`,
  })
  assert.equal(said.code, 0, said.err)
}

before(async () => {
  world = await createCliWorld()
  await world.gateway.addAdministrator('root', 'predefined_admin_write')
  await world.gateway.addAdministrator('guest', 'predefined_reports_view')
})
after(() => world.close())

describe('signing in', () => {
  it('refuses an unknown certificate where no one can be asked, and names its fingerprint', async () => {
    const words = ['login', '--address', world.address, '--login', 'root']
    const said = await world.gw(words, { input: testPassword, env: elsewhere })
    assert.equal(said.code, 4)
    assert.match(said.err, /certificate of .* is not trusted yet\. Nothing was sent/)
    assert.match(said.err, /SHA-256 {2}(?:[0-9A-F]{2}:){31}[0-9A-F]{2}/)
  })

  it('takes the certificate with the fingerprint that was named, and no other', async () => {
    const { err } = await world.gwProcess(['login', '--address', world.address], { input: 'x', env: elsewhere })
    const fingerprint = /SHA-256 {2}(\S+)/.exec(err)?.[1] ?? ''
    const words = ['login', '--address', world.address, '--login', 'root', '--fingerprint']
    const wrong = await world.gwProcess([...words, 'ab'.repeat(32)], { input: testPassword })
    assert.equal(wrong.code, 4)
    assert.match(wrong.err, /a different certificate than the one given with --fingerprint/)
    const right = await world.gwProcess([...words, fingerprint.replaceAll(':', '').toLowerCase()], {
      input: testPassword,
    })
    assert.equal(right.code, 0, right.err)
    assert.match(right.err, /Signed in to .* as root\./)
  })

  it('keeps the session where only its owner can read it', () => {
    assert.equal(statSync(sessionFile()).mode & 0o777, 0o600)
    assert.doesNotMatch(readFileSync(sessionFile(), 'utf8'), new RegExp(testPassword))
  })

  it('reports a wrong password in the words of the gateway', async () => {
    const said = await world.gw(['login', '--address', world.address, '--login', 'root'], { input: 'wrong wrong\n' })
    assert.equal(said.code, 3)
    assert.match(said.err, /The login or the password is wrong\./)
  })

  it('shows who is signed in', async () => {
    await signIn()
    const { out, code } = await gw('whoami')
    assert.equal(code, 0)
    assert.match(out, /^login +root\nname +root\nrole_id +predefined_admin_write\n/)
  })
})

describe('changing the configuration', () => {
  before(() => signIn())

  it('reads, tries, changes and shows what was changed', async () => {
    const path = '/gather_stat/settings'
    assert.equal((await gwProcess('get', path)).out, 'enabled  false\n')
    const tried = await gwProcess('patch', path, 'enabled=true', '--dry-run')
    assert.equal(tried.out, 'statistics.settings changed\n  enabled: false -> true\n')
    assert.equal((await gwProcess('get', path, '--json')).out, '{\n  "enabled": false\n}\n')
    const changed = await gwProcess('patch', path, 'enabled=true', '--reason', 'größer \u202e☃')
    assert.equal(changed.code, 0, changed.err)
    const revision = /at revision (\d+)\./.exec(changed.err)?.[1] ?? ''
    const listed = await gwProcess('revisions', '--limit', '1')
    assert.match(listed.out, new RegExp(`^REVISION .*REASON\n${revision} .* root .* größer \\\\u202e☃\n$`))
    assert.match(
      (await gwProcess('revisions', 'show', revision)).out,
      /\nstatistics\.settings changed\n {2}enabled: false -> true\n/,
    )
    const reverted = await gwProcess('revert', String(Number(revision) - 1))
    assert.equal(reverted.code, 0, reverted.err)
    assert.equal((await gwProcess('get', path)).out, 'enabled  false\n')
  })

  it('refuses a change that someone else came before', async () => {
    const read = await gw('get', '/gather_stat/settings', '--etag')
    const etag = /ETag: (\S+)/.exec(read.err)?.[1] ?? ''
    const words = ['patch', '/gather_stat/settings', 'enabled=true', '--if-match', etag.replaceAll('"', '')]
    assert.equal((await gw(...words)).code, 0)
    const late = await gw(...words)
    assert.equal(late.code, 1)
    assert.match(late.err, /This was changed since you read it/)
  })

  it('keeps a change on probation when confirmed and reverts it when asked to', async () => {
    const nothing = await gwProcess('confirm')
    assert.equal(nothing.code, 1)
    assert.match(nothing.err, /No change is waiting for a confirmation\./)
    const tried = await gw('patch', '/firewall/settings', 'automatic_snat_enabled=false', '--confirm', '600')
    assert.match(tried.err, /The change is reverted at .* unless you run: gw confirm/)
    assert.match((await gw('put-back')).err, /^Reverted: revision \d+ of root\.\n$/)
    assert.match((await gw('get', '/firewall/settings')).out, /automatic_snat_enabled +true/)
    await gw('patch', '/firewall/settings', 'log_actions=drop,accept', '--confirm', '600')
    assert.match((await gw('confirm')).err, /^Confirmed: revision \d+ stays\.\n$/)
    assert.match((await gw('get', '/firewall/settings')).out, /log_actions +drop, accept/)
  })

  it('takes a body from input and from fields, and prints the id of what was made', async () => {
    const body = { enabled: true, name: 'Bob', role: 'predefined_reports_view', comment: '', password: 'a long one 17' }
    const words = ['post', '/web/admins/local', '--data', '-', 'login=bob', '--json']
    const made = await world.gw(words, { input: JSON.stringify(body) })
    assert.equal(made.code, 0, made.err)
    const { id } = JSON.parse(made.out) as { id: string }
    const again = await world.gw(words, { input: JSON.stringify(body) })
    assert.equal(again.code, 1)
    assert.equal(again.err, 'gw: login: The login bob is taken.\n')
    const csv = await gw('get', '/web/admins/local', 'format_type=CSV', 'columns=login,name')
    assert.match(csv.out, /^login,name\r?\n/)
    assert.equal((await gw('delete', `/web/admins/local/${id}`)).code, 0)
  })

  it('takes a backup to a file of its owner and brings it back byte by byte', async () => {
    const { id } = JSON.parse((await gw('post', '/backup/backups', 'comment=x', '--json')).out) as { id: string }
    const file = join(world.stateDir, '..', 'gateway.backup')
    await until('the backup is made', async () => (await gw('get', '/backup/backups')).out.includes(id))
    const fetched = await gw('get', `/backup/download/${id}`, '--output', 'gateway.backup')
    assert.equal(fetched.code, 0, fetched.err)
    assert.match(fetched.err, /^Written: \S+gateway\.backup, \d+ bytes\.\n$/)
    assert.equal(statSync(file).mode & 0o777, 0o600)
    assert.equal((await gw('delete', `/backup/backups/${id}`)).code, 0)
    const sent = await gw('post', '/backup/upload', '--file', 'gateway.backup', '--json')
    assert.equal(sent.code, 0, sent.err)
    const again = (JSON.parse(sent.out) as { id: string }).id
    assert.equal((await gw('get', `/backup/download/${again}`, '--output', 'again.backup')).code, 0)
    assert.deepEqual(readFileSync(join(world.stateDir, '..', 'again.backup')), readFileSync(file))
  })

  it('sends a file from input as the body it is', async () => {
    const rule = 'alert tcp any any -> any any (msg:"größer"; sid:700001;)\n'
    const loaded = await world.gw(['post', '/ips/custom_rules_file', '--file', '-'], { input: rule })
    assert.equal(loaded.code, 0, loaded.err)
    assert.match(loaded.out, /^count +1$/m)
    assert.match((await gw('get', '/ips/custom')).out, /größer/)
    const tried = await world.gw(['post', '/ips/custom_rules_file', '--file', '-', '--dry-run'], {
      input: rule.replace('700001', '700002'),
    })
    assert.equal(tried.code, 0, tried.err)
    assert.doesNotMatch((await gw('get', '/ips/custom')).out, /700002/)
  })

  it('sends nothing when there is no file, too much of it, or none is wanted', async () => {
    const post = (...words: string[]) => gw('post', ...words)
    const cases: [Promise<Said>, RegExp, number][] = [
      [post('/backup/upload'), /This call needs a file\. Use --file PATH/, 2],
      [post('/backup/upload', '--data', '{}'), /This call needs a file/, 2],
      [post('/backup/upload', '--file', 'nowhere'), /nowhere cannot be read: ENOENT/, 2],
      [post('/web/admins/local', '--file', 'x'), /This call does not take a file/, 2],
      [gw('put', '/license/license-upload', '--file', 'large'), /the file has 100000 bytes, .* at most 65536/, 1],
      [gw('get', '/firewall/settings', '--output', 'no/such/place'), /could not be written to .*ENOENT/, 1],
    ]
    writeFileSync(join(world.stateDir, '..', 'large'), 'x'.repeat(100_000))
    for (const [said, words, code] of cases) {
      const { err, code: got } = await said
      assert.match(err, words)
      assert.equal(got, code, err)
    }
  })

  it('prints the words of an engine that refuses', async () => {
    world.gateway.applier.refuseWith = [{ field: 'firewall', message: say`nft says no\u001b[2J` }]
    const said = await gw('patch', '/firewall/settings', 'automatic_snat_enabled=false')
    world.gateway.applier.refuseWith = []
    assert.equal(said.code, 1)
    assert.equal(said.err, 'gw: firewall: nft says no\\x1b[2J\n')
  })
})

describe('looking', () => {
  before(() => signIn())

  it('gathers the status of all areas, and fails when one failed', async () => {
    await world.gateway.engine.reconcile()
    const fine = await gw('status')
    assert.match(fine.out, /^Authorization is NOT ENFORCED: .*\n\nAREA +NAME +STATUS +MESSAGE\n/)
    assert.match(fine.out, /^firewall +auto-snat +active$/m)
    assert.equal(fine.code, 0, fine.out)
    await gw('patch', '/auth/settings', 'allow_internet_to_everyone=false')
    assert.match((await gw('status')).out, /^Authorization is enforced: .*\n\nAREA /)
    await gw('patch', '/auth/settings', 'allow_internet_to_everyone=true')
    world.gateway.applier.failWith = new Error('applyd is gone')
    const failed = await gw('status', '--json')
    world.gateway.applier.failWith = null
    assert.equal(failed.code, 1)
    const items = JSON.parse(failed.out) as { area: string; status: string; msg: string[] }[]
    assert.ok(items.some(({ area, status }) => area === 'configuration' && status === 'failed'))
  })

  it('lists the audit records and checks them', async () => {
    assert.match((await gw('audit', '--limit', '3')).out, /^RECORD +TIME \(UTC\) +EVENT/)
    const intact = await gw('audit', 'verify')
    assert.equal(intact.code, 0, intact.err)
    assert.match(intact.out, /^The audit trail is intact: \d+ records/)
    world.gateway.database
      .prepare("UPDATE audit SET record = replace(record, 'root', 'nobody') WHERE sequence = 4")
      .run()
    const altered = await gw('audit', 'verify')
    assert.equal(altered.code, 1)
    assert.match(altered.out, /^The audit trail is not intact\. Record 4: This record was altered\.\n$/)
  })

  it('shows records of the system journal', async () => {
    const logs = world.gateway.services.of(logsService)
    const record = { kind: 'system', priority: 3, syslogId: 'dns', fields: {}, time: 1_767_225_600_000_000 } as const
    logs.append([{ ...record, unit: 'unbound', message: 'no answer \u001b[31m' }])
    logs.append([{ ...record, unit: 'other', priority: 6, message: 'all is well' }])
    const { out, code } = await gw('logs', '--unit', 'unbound', '--priority', '3')
    assert.equal(out, '2026-01-01 00:00:00 unbound no answer \\x1b[31m\n')
    assert.equal(code, 0)
    assert.equal(JSON.parse((await gw('logs', 'is WELL', '--json')).out).unit, 'other')
    assert.equal((await gw('logs', '--priority', '9')).code, 2)
  })

  it('follows the system journal, also over streams that end, until it is signed out', async () => {
    const { eventStreams } = world.gateway.services
    const logs = world.gateway.services.of(logsService)
    const { sessions } = world.gateway.services.accounts
    const record = { kind: 'system', priority: 6, syslogId: 'x', fields: {}, unit: 'followed' } as const
    const shown: number[] = []
    const following = world.gw(['logs', '--unit', 'followed', '-f'], {
      onOut: (text) => shown.push(Number(/line (\d+)\n/.exec(text)?.[1])),
    })
    await until('a stream is open', () => eventStreams.count > 0)
    // Streams of a test gateway end quickly: some lines come between two of them.
    for (let index = 0; index < 30; index++) {
      logs.append([{ ...record, time: index, message: `line ${index}` }])
      if (index % 10 === 0) await until('a line was shown', () => shown.includes(index))
    }
    await until('the last line was shown', () => shown.includes(29))
    for (const { handle } of sessions.list()) sessions.end(handle)
    assert.notEqual((await following).code, 0)
    assert.deepEqual(
      shown,
      Array.from({ length: 30 }, (_, index) => index),
    )
    await signIn()
  })

  it('prints the events of a stream as they come', async () => {
    // Streams of a test gateway end quickly.
    let shown = ''
    const listening = world.gw(['get', '/events'], { onOut: (text) => (shown += text) })
    await until('the state was shown', () => /^probation /m.test(shown))
    assert.equal((await listening).code, 0)
    assert.match(shown, /^revision \{"revision":\d+\}\n/)
    assert.equal((await gw('get', '/events', '--output', 'events')).code, 2)
  })

  it('lists the sessions', async () => {
    const { out } = await gw('sessions')
    assert.match(out, /^ID +LOGIN +ROLE +ADDRESS +SINCE \(UTC\) +KIND\n/)
    assert.match(out, / root +Administrator +127\.0\.0\.1 +2026-01-01 00:00:00 +local\n/)
  })

  it('reports a role that may not', async () => {
    await signIn('guest')
    const said = await gw('get', '/firewall/settings')
    assert.equal(said.code, 1)
    assert.equal(said.err, 'gw: Your role does not allow this.\n')
  })
})

describe('asking about rules', () => {
  let drop = ''
  before(async () => {
    await signIn()
    const add = async (...fields: string[]): Promise<string> => {
      const made = await gw('post', '/firewall/rules/forward', ...fields, '--json')
      assert.equal(made.code, 0, made.err)
      return String((JSON.parse(made.out) as { id: number }).id)
    }
    const web = await gw('post', '/aliases/ip_addresses', 'title=Web', 'comment=', 'value=198.51.100.10', '--json')
    const { id } = JSON.parse(web.out) as { id: string }
    await add('action=accept', 'protocol=protocol.udp')
    drop = await add('action=drop', `destination_addresses=${id}`)
  })

  it('explains which rule drops a packet, and says so with its exit code', async () => {
    const said = await gw('explain', 'tcp', '10.10.0.2:40000', '198.51.100.10:80')
    assert.equal(said.code, 1, said.err)
    assert.equal(said.err, '')
    assert.match(said.out, /^STAGE +RULE +WHAT HAPPENS\n/)
    assert.match(said.out, new RegExp(`^forward +firewall\\.forward\\[${drop}\\] `, 'm'))
    assert.match(said.out, new RegExp(`^verdict +firewall\\.forward\\[${drop}\\] +drop$`, 'm'))
    const other = await gw('explain', 'tcp', '10.10.0.2', '198.51.100.11:80', '--from', 'lan0')
    assert.equal(other.code, 0, other.err)
    assert.match(other.out, /^verdict +accept$/m)
  })

  it('shows for skipped rules why they did not match, when asked', async () => {
    const words = ['explain', 'tcp', '10.10.0.2', '198.51.100.11:80']
    const reason = /^ +firewall\.forward\[\d+\] .*"Web"/m
    assert.doesNotMatch((await gw(...words)).out, reason)
    assert.match((await gw(...words, '--reasons')).out, reason)
  })

  it('explains packets of the gateway itself, of past revisions and of IPv6, also as JSON', async () => {
    const pathOf = async (...words: string[]): Promise<string> => {
      const { out, err } = await gw('explain', ...words, '--json')
      assert.equal(err, '')
      const { outcomes } = JSON.parse(out) as { outcomes: { path: string; verdict: string }[] }
      return outcomes.map(({ path, verdict }) => `${path} ${verdict}`).join(', ')
    }
    assert.equal(await pathOf('icmp', '10.10.0.2', '198.51.100.10'), 'forward drop')
    assert.equal(await pathOf('tcp', '203.0.113.2', '198.51.100.10:80', '--own'), 'output accept')
    assert.equal(await pathOf('tcp', '10.10.0.2', '198.51.100.10:80', '--revision', '0'), 'forward accept')
    assert.match(await pathOf('tcp', '2001:db8::2', '[2001:db8:1::1]:80'), /(?:accept|drop)$/)
  })

  it('explains the packet of a user from where they are now', async () => {
    const fields = ['name=Anna', 'login=anna', 'psw=open sesame', 'parent_id=group.id.1', 'comment=']
    const made = await gw('post', '/user_backend/users', ...fields, '--json')
    const { id } = JSON.parse(made.out) as { id: number }
    const words = ['explain', 'tcp', '-', '198.51.100.10:80', '--user', `user.id.${id}`]
    const nowhere = await gw(...words)
    assert.equal(nowhere.code, 1)
    assert.match(nowhere.err, /"Anna" has no session now\./)
    const sessions = new ListedSessions()
    sessions.add(`user.id.${id}`, '10.10.0.77')
    const userSessions = world.gateway.services.of(userSessionsService)
    replaceServices(world.gateway.services, { userSessions: sessions })
    const said = await gw(...words)
    assert.match(
      said.out,
      new RegExp(`^The source 10\\.10\\.0\\.77 is that of user\\.id\\.${id} "Anna", by the session`),
    )
    replaceServices(world.gateway.services, { userSessions })
    const alone = await gw('explain', 'tcp', '-', '198.51.100.10:80')
    assert.equal(alone.code, 2)
    assert.match(alone.err, /add --user/)
  })

  it('shows the connections that a change would cut, and cuts them when asked', async () => {
    const { applier } = world.gateway
    const line =
      'ipv4     2 tcp      6 431999 ESTABLISHED src=10.10.0.5 dst=198.51.100.44 sport=40000 dport=80 ' +
      'src=198.51.100.44 dst=203.0.113.2 sport=80 dport=40000 [ASSURED] mark=0 use=2'
    applier.tracked = { text: line, isCut: false, isCounting: true, limitation: null }
    const words = ['post', '/firewall/rules/forward', 'action=drop', 'protocol=protocol.tcp']
    const tried = await gw(...words, '--dry-run')
    assert.match(tried.out, /^tcp +10\.10\.0\.5:40000 +198\.51\.100\.44:80 +firewall\.forward\[\d+\] *$/m)
    assert.deepEqual(applier.cuts, [])
    const done = await gw(...words, '--cut-connections', '--json')
    assert.equal(done.code, 0, done.err)
    assert.match(done.err, /Connections that were cut: 1\./)
    assert.equal(applier.cuts.length, 1)
    const { id } = JSON.parse(done.out) as { id: number }
    assert.equal((await gw('delete', `/firewall/rules/forward/${id}`)).code, 0)
    assert.equal((await gw('post', '/config/confirm', '--cut-connections')).code, 2)
  })

  it('refuses what is not a packet', async () => {
    const protocol = await gw('explain', 'sctp', '10.10.0.2', '198.51.100.10:80')
    assert.equal(protocol.code, 2)
    assert.match(protocol.err, /"sctp" is not a known protocol\. Use one of: tcp, udp,/)
    const port = await gw('explain', 'tcp', '10.10.0.2', '198.51.100.10:70000')
    assert.equal(port.code, 2)
    assert.match(port.err, /The port of the destination/)
    const missing = await gw('explain', 'tcp', '10.10.0.2', '198.51.100.10')
    assert.equal(missing.code, 1)
    assert.match(missing.err, /packet\.destination_port: /)
  })

  it('lists rules that do nothing good', async () => {
    const before = await gw('hygiene', '--json')
    const { id } = JSON.parse(
      (await gw('post', '/firewall/rules/forward', 'action=drop', 'protocol=protocol.udp', '--json')).out,
    ) as { id: number }
    const { code, out } = await gw('hygiene')
    assert.equal(code, 0)
    assert.match(out, /^SEVERITY +KIND +RULE +FINDING\n/)
    assert.match(out, new RegExp(`^high +shadowed +forward ${id} `, 'm'))
    const after = JSON.parse((await gw('hygiene', '--json')).out) as { rule_id: number; kind: string }[]
    assert.ok(after.some((finding) => finding.rule_id === id && finding.kind === 'shadowed'))
    assert.doesNotMatch(before.out, new RegExp(`"rule_id": ${id}\\b`))
  })

  it('has nothing to complain about without rules', async () => {
    const listed = await gw('get', '/firewall/rules/forward', '--json')
    for (const { id } of JSON.parse(listed.out) as { id: number }[])
      assert.equal((await gw('delete', `/firewall/rules/forward/${id}`)).code, 0)
    assert.equal((await gw('hygiene')).out, 'No findings.\n')
  })
})

describe('trust and its end', () => {
  before(() => signIn())

  it('sends nothing to a gateway whose certificate is another one now', async () => {
    const text = readFileSync(sessionFile(), 'utf8')
    // Both the fingerprint and the key of the root.
    writeFileSync(
      sessionFile(),
      text.replaceAll(/("https:[^"]+": ")(..)/g, (_all, start, two) => `${start}${two === '00' ? '01' : '00'}`),
    )
    for (const words of [['whoami'], ['login', '--address', world.address, '--login', 'root']]) {
      const said = await world.gw(words, { input: testPassword, ...(words[0] === 'login' ? { env: elsewhere } : {}) })
      assert.equal(said.code, 4)
      assert.match(said.err, /presents a different certificate than the one you trusted\. Nothing was sent\./)
    }
    writeFileSync(sessionFile(), text)
  })

  it('follows a certificate that the same root signed, and remembers it', async () => {
    const text = readFileSync(sessionFile(), 'utf8')
    writeFileSync(
      sessionFile(),
      text.replace(/("https:[^"]+": ")(..)/, (_all, start, two) => `${start}${two === '00' ? '01' : '00'}`),
    )
    assert.equal((await gw('whoami')).code, 0)
    assert.equal(readFileSync(sessionFile(), 'utf8'), text)
  })

  it('signs out, and then has no session', async () => {
    const signedIn = readFileSync(sessionFile(), 'utf8')
    assert.equal((await gwProcess('logout')).err, `Signed out of ${world.address}.\n`)
    const said = await gw('whoami')
    assert.equal(said.code, 3)
    assert.match(said.err, /^gw: You are not signed in to https:\S+\.\n {2}Sign in with: gw login\n$/)
    assert.doesNotMatch(readFileSync(sessionFile(), 'utf8'), /cookie/)
    writeFileSync(sessionFile(), signedIn)
    const stale = await gw('whoami')
    assert.equal(stale.code, 3, 'the session is over on the gateway too')
    assert.match(stale.err, /There is no valid session/)
    assert.equal((await gwProcess('logout')).code, 0)
    assert.match((await gw('logout')).err, /^You were not signed in to /)
  })

  it('says when the gateway is not there', async () => {
    await signIn()
    await world.stopGateway()
    const said = await gw('status')
    assert.equal(said.code, 4)
    assert.match(said.err, /cannot be reached: connection refused; check that the gateway is running/)
    await world.startGateway()
  })
})

describe('an administrator who locked themselves out', () => {
  const reset = (...words: string[]): Promise<Said> => gwProcess('admin', 'reset', ...words)

  it('gets nothing while the gateway runs', async () => {
    const said = await reset()
    assert.equal(said.code, 1)
    assert.match(said.err, /The gateway is running \(process \d+ has its database open\)/)
  })

  it('gets a new password, full access and an open door once it is stopped', async () => {
    const { engine, http } = world.gateway
    await engine.change({
      edit: (config) => [{ ...config, 'statistics.settings': { enabled: false } }, null],
      actor: { login: 'guest', address: '127.0.0.1' },
      reason: 'on probation',
      confirmWithinSeconds: 3600,
    })
    const guess = { login: 'guest', password: 'wrong wrong', rest_path: '/' }
    for (let failure = 0; failure < 6; failure++) {
      await http.inject({ method: 'POST', url: '/web/auth/login', payload: JSON.stringify(guess) })
    }
    const blocked = await world.gw(['login', '--address', world.address, '--login', 'guest', '--trust'], {
      input: testPassword,
    })
    assert.match(blocked.err, /Too many failed sign-ins from this address/)
    await world.stopGateway()
    const said = await reset('--login', 'guest')
    assert.equal(said.code, 0, said.err)
    assert.match(said.err, /Revision \d+, which was on probation, was reverted\./)
    const password = said.out.trim()
    assert.match(password, /^[\w-]{20}$/)
    await world.startGateway()
    const login = await world.gw(['login', '--address', world.address, '--login', 'guest', '--trust'], {
      input: password,
    })
    assert.equal(login.code, 0, login.err)
    assert.match((await gw('whoami')).out, /role_id +predefined_admin_write/)
    assert.equal((await gw('get', '/gather_stat/settings')).out, 'enabled  true\n')
    assert.match((await gw('revisions', '--limit', '1')).out, /Administrator reset on the machine with gw admin reset/)
  })

  it('leaves files that the owner of the folder can open', async () => {
    const folder = join(world.stateDir, 'gateway')
    const { uid } = statSync(folder)
    for (const name of ['gateway.db', 'vault.key']) assert.equal(statSync(join(folder, name)).uid, uid)
  })

  it('needs a state folder', async () => {
    const said = await world.gw(['admin', 'reset'], { env: { PORTCULLIS_STATE: '/nonexistent' } })
    assert.equal(said.code, 1)
    assert.match(said.err, /There is no gateway in the state folder \/nonexistent/)
  })
})

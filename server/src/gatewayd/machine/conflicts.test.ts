import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { judge } from './conflicts.ts'
import { readTable } from './foreign-rules.ts'
import { emptyReadings, type HeldPort, type Readings, type WatchedPort } from './readings.ts'

const watched = (port: number, state: WatchedPort['state'], title = 'DNS server'): WatchedPort[] =>
  (['tcp', 'udp'] as const).map((protocol) => ({ protocol, port, title, state }))
const held = (port: number, address: string, known: Partial<HeldPort>): HeldPort => ({
  protocol: 'tcp',
  address,
  port,
  inode: '1',
  pid: null,
  program: null,
  unit: null,
  owner: 'foreign',
  ...known,
})
const on = { isActive: true, isEnabled: true }
const shown = (readings: Partial<Readings>) =>
  judge({ ...emptyReadings, ...readings }).map(({ code, severity, fix }) => [code, severity, fix])
const chainOf = (name: string, hook: object = {}) => ({ chain: { name, ...hook } })
const ruleOf = (chain: string, ...expr: object[]) => ({ rule: { chain, expr: [{ counter: null }, ...expr] } })
const forward = { type: 'filter', hook: 'forward', policy: 'drop' }
const table = (name: string, ...nftables: object[]) => readTable('ip', name, { nftables })
const lan = { match: { op: '==', left: {}, right: 'lan0' } }

describe('programs on our ports', () => {
  it('finds another DNS server beside ours, and one that keeps ours from starting', () => {
    const unbound = held(53, '127.0.0.1', { unit: 'unbound.service' })
    const ours = held(53, '0.0.0.0', { owner: 'ours', program: 'unbound' })
    const fix = 'systemctl disable --now unbound.service'
    assert.deepEqual(shown({ ports: watched(53, 'running'), held: [unbound, ours] }), [['port.53', 'fault', fix]])
    assert.deepEqual(shown({ ports: watched(53, 'failed'), held: [unbound] }), [['port.53', 'fault', fix]])
    assert.deepEqual(shown({ ports: watched(53, 'unknown'), held: [unbound] }), [['port.53', 'warning', fix]])
    assert.deepEqual(shown({ ports: watched(53, 'off'), held: [unbound] }), [['port.53', 'note', fix]])
    assert.deepEqual(shown({ ports: watched(53, 'running'), held: [ours] }), [])
  })

  it('names a program without a service, and takes a socket of which nothing is known for ours only while ours runs', () => {
    const squid = held(3128, '0.0.0.0', { program: 'squid', pid: 7 })
    assert.deepEqual(shown({ ports: watched(3128, 'failed'), held: [squid] }), [
      ['port.3128', 'fault', 'Stop the program squid (process 7), and what starts it.'],
    ])
    const unknown = held(3128, '0.0.0.0', { owner: 'unknown' })
    assert.deepEqual(shown({ ports: watched(3128, 'running'), held: [unknown] }), [])
    assert.equal(shown({ ports: watched(3128, 'failed'), held: [unknown] }).length, 1)
  })

  it('does not stop the session of a person for a program of theirs', () => {
    const theirs = held(3128, '0.0.0.0', { unit: 'user@1000.service' })
    const [[, , fix] = []] = shown({ ports: watched(3128, 'failed'), held: [theirs] })
    assert.equal(fix, 'Stop the program that holds the port, and what starts it.')
  })

  it('says how the stub of systemd-resolved is switched off, no matter who was first', () => {
    const stub = held(53, '127.0.0.53', { unit: 'systemd-resolved.service' })
    const services = { 'systemd-resolved.service': on }
    const [first] = judge({ ...emptyReadings, ports: watched(53, 'failed'), held: [stub], services })
    assert.equal(first?.code, 'resolved.stub')
    assert.equal(first?.severity, 'fault')
    assert.match(first?.fix ?? '', /DNSStubListener=no/)
    const ours = held(53, '0.0.0.0', { owner: 'ours' })
    const second = judge({ ...emptyReadings, ports: watched(53, 'running'), held: [ours], services })
    assert.deepEqual(
      second.map(({ code, severity }) => [code, severity]),
      [['resolved.stub', 'warning']],
    )
    const resolver = { servers: ['127.0.0.53'], hasStub: false }
    assert.deepEqual(shown({ ports: watched(53, 'running'), held: [ours], services, resolver }), [])
    assert.deepEqual(
      shown({ ports: watched(53, 'off'), services, resolver }).map(([code]) => code),
      ['resolver.file'],
    )
  })
})

describe('rules of others', () => {
  const docker = (...user: object[]) =>
    table(
      'filter',
      chainOf('FORWARD', forward),
      chainOf('DOCKER-USER'),
      ruleOf('FORWARD', { jump: { target: 'DOCKER-USER' } }),
      ruleOf('FORWARD', lan, { accept: null }),
      ...user,
    )

  it('finds that Docker drops what passes, until its own chain accepts everything', () => {
    const services = { 'docker.service': on }
    const returning = ruleOf('DOCKER-USER', { return: null })
    const [found] = judge({ ...emptyReadings, services, tables: [docker(returning)] })
    assert.deepEqual([found?.code, found?.severity], ['rules.docker', 'fault'])
    assert.match(found?.fix ?? '', /^iptables -I DOCKER-USER -j ACCEPT && mkdir/)
    assert.deepEqual(shown({ tables: [docker(ruleOf('DOCKER-USER', { accept: null }), returning)] }), [])
    // An accept with a condition does not help the rest.
    assert.equal(shown({ tables: [docker(ruleOf('DOCKER-USER', lan, { accept: null }))] }).length, 1)
  })

  it('follows jumps, rejects and policies', () => {
    const rejecting = table(
      'firewalld',
      chainOf('filter_FORWARD', { ...forward, policy: 'accept' }),
      ruleOf('filter_FORWARD', lan, { accept: null }),
      ruleOf('filter_FORWARD', { reject: { type: 'icmpx' } }),
    )
    assert.deepEqual(shown({ tables: [rejecting] }), [
      ['rules.firewalld', 'fault', 'systemctl disable --now firewalld.service'],
    ])
    const ufw = table('filter', chainOf('FORWARD', forward), chainOf('ufw-before-forward'))
    assert.deepEqual(shown({ tables: [ufw], isUfwEnabled: true }), [['rules.ufw', 'fault', 'ufw disable']])
    assert.deepEqual(shown({ isUfwEnabled: true }), [['rules.ufw', 'warning', 'ufw disable']])
    const input = table('mine', chainOf('i', { ...forward, hook: 'input' }))
    assert.deepEqual(
      shown({ tables: [input] }).map(([, severity]) => severity),
      ['warning'],
    )
    const some = table('mine', chainOf('f', { ...forward, policy: 'accept' }), ruleOf('f', lan, { drop: null }))
    assert.deepEqual(
      shown({ tables: [some] }).map(([, severity]) => severity),
      ['note'],
    )
  })

  it('leaves harmless ones alone: fail2ban, address translation, tables without a hook', () => {
    const ban = table('f2b-table', chainOf('f2b', forward), ruleOf('f2b', lan, { reject: null }))
    const old = table(
      'filter',
      chainOf('INPUT', { ...forward, hook: 'input', policy: 'accept' }),
      chainOf('f2b-sshd'),
      ruleOf('INPUT', lan, { jump: { target: 'f2b-sshd' } }),
      ruleOf('f2b-sshd', lan, { reject: null }),
    )
    const nat = table('nat', chainOf('POSTROUTING', { type: 'nat', hook: 'postrouting', policy: 'accept' }))
    assert.deepEqual(shown({ tables: [ban, old, nat] }), [])
  })

  it('ends with chains that call each other, and says when a table is too long', () => {
    const circle = table(
      'x',
      chainOf('a', forward),
      chainOf('b'),
      ruleOf('a', { jump: { target: 'b' } }),
      ruleOf('b', { jump: { target: 'a' } }),
    )
    assert.equal(shown({ tables: [circle] }).length, 1)
    assert.deepEqual(
      shown({ tables: [readTable('ip', 'long', null)] }).map(([code]) => code),
      ['rules.ip-long'],
    )
  })

  it('never shows a name of the kernel as a part of a command, unless it is a plain word', () => {
    const hostile = table('x; rm -rf /', chainOf('a', forward))
    const [found] = judge({ ...emptyReadings, tables: [hostile] })
    assert.equal(found?.code, 'rules.ip-x__rm_-rf__')
    assert.equal(found?.fix, 'Remove the table by its handle, which "nft -a list tables" shows.')
    for (const name of ['$(reboot)', '`id`', '-a', 'a\nb'])
      assert.doesNotMatch(shown({ tables: [table(name, chainOf('a', forward))] }).join(), /delete table/)
  })

  it('shows names in one line, and each code once', () => {
    const tables = ['a\n\u001b[2Jb', 'a\r\u001b[2Jb'].map((name) => table(name, chainOf('a', forward)))
    const found = judge({ ...emptyReadings, tables })
    assert.deepEqual(
      found.map(({ code, title }) => [code, title]),
      [['rules.ip-a___2Jb', 'The rules of the table ip a [2Jb drop what passes through the gateway']],
    )
  })
})

describe('other services', () => {
  it('warns of services that flush rules, and of those that come back at the next start', () => {
    const services = { 'nftables.service': on, 'netfilter-persistent.service': on }
    assert.deepEqual(shown({ services }), [
      ['service.nftables', 'warning', 'systemctl disable --now nftables.service'],
      ['service.netfilter-persistent', 'note', 'systemctl disable --now netfilter-persistent.service'],
    ])
    assert.deepEqual(shown({ services: { 'nftables.service': { isActive: false, isEnabled: false } } }), [])
  })

  it('finds other managers of our cards, and only of ours', () => {
    const services = { 'systemd-networkd.service': on, 'NetworkManager.service': on, 'networking.service': on }
    const ifupdown = [{ device: 'wan0', method: 'dhcp', file: '/etc/network/interfaces' }]
    const managers = { networkd: ['wan0', 'eth5'], networkManager: ['wan0'], ifupdown, services }
    const found = judge({ ...emptyReadings, ...managers, devices: ['wan0'] })
    assert.deepEqual(
      found.map(({ code, severity }) => [code, severity]),
      [
        ['network.networkd', 'warning'],
        ['network.networkmanager', 'warning'],
        ['network.ifupdown', 'warning'],
      ],
    )
    assert.doesNotMatch(JSON.stringify(found), /eth5/)
    assert.deepEqual(shown({ ...managers, devices: ['lan0'] }), [])
    // Before the gateway is set up, they are what the machine works with.
    const before = judge({ ...emptyReadings, ...managers, devices: ['wan0'], hasGateway: false })
    assert.ok(
      before.every(({ severity, fix }) => severity === 'note' && fix.startsWith('When the gateway is set up: ')),
    )
  })

  it('says how a profile of AppArmor learns of our state folder', () => {
    const profile = { name: 'usr.sbin.unbound', program: '/usr/sbin/unbound', title: 'DNS server', isEnforced: true }
    const readings = { stateDir: '/var/lib/portcullis', app: '/usr/lib/portcullis' }
    assert.deepEqual(shown({ ...readings, profiles: [{ ...profile, hasAddition: false }] }), [
      [
        'apparmor.usr.sbin.unbound',
        'fault',
        'sh /usr/lib/portcullis/deploy/debian/apparmor.sh add /var/lib/portcullis',
      ],
    ])
    assert.deepEqual(shown({ ...readings, profiles: [{ ...profile, hasAddition: true }] }), [])
    assert.deepEqual(shown({ ...readings, profiles: [{ ...profile, isEnforced: false, hasAddition: false }] }), [])
  })
})

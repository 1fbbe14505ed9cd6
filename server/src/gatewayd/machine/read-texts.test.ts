import assert from 'node:assert/strict'
import { test } from 'node:test'
import { engines } from '../../engines/index.ts'
import { readProfiles } from './apparmor.ts'
import { findConflicts, hasStub, parseInterfaces, parseServices, parseSockets } from './read-texts.ts'
import { watchedPorts } from './watched.ts'

test('the states of services are read from one answer; what is not installed or masked is left out', () => {
  const block = (id: string, load: string, active: string, file: string) =>
    `Id=${id}\nLoadState=${load}\nActiveState=${active}\nUnitFileState=${file}\n`
  const text = [
    block('ufw.service', 'not-found', 'inactive', ''),
    block('docker.service', 'loaded', 'active', 'disabled'),
    block('nftables.service', 'loaded', 'inactive', 'enabled'),
    block('firewalld.service', 'masked', 'inactive', 'masked'),
  ].join('\n')
  assert.deepEqual(parseServices(text), {
    'docker.service': { isActive: true, isEnabled: false },
    'nftables.service': { isActive: false, isEnabled: true },
  })
})

test('the service of a socket is read from its group of processes', () => {
  const text =
    'udp UNCONN 0 0 127.0.0.1:53 0.0.0.0:* ino:601 sk:5d10 cgroup:/system.slice/unbound.service <-> cgroup:/system.slice/unbound.service\n' +
    'tcp LISTEN 0 5 *:80 *:* ino:602 sk:1 cgroup:/user.slice/user-0.slice/session-1.scope <->\n'
  assert.deepEqual([...parseSockets(text)], [['601', 'unbound.service']])
})

test('no account can name the service of its own socket', () => {
  const theirs = '/user.slice/user-1000.slice/user@1000.service/app.slice/ssh.service'
  const text = [
    `tcp LISTEN 0 5 0.0.0.0:3128 0.0.0.0:* uid:1000 ino:7 sk:1 cgroup:${theirs} <->`,
    'tcp LISTEN 0 5 0.0.0.0:161 0.0.0.0:* ino:8 sk:2 cgroup:/system.slice/-now.service <->',
    'tcp LISTEN 0 5 0.0.0.0:67 0.0.0.0:* ino:9 sk:3 cgroup:/system.slice/a$(id).service <->',
  ].join('\n')
  assert.deepEqual([...parseSockets(text)], [['7', 'user@1000.service']])
})

test('the stub of systemd-resolved is off when the last line says so', () => {
  assert.equal(hasStub(['[Resolve]\n#DNSStubListener=no\n']), true)
  assert.equal(hasStub(['[Resolve]\nDNSStubListener=yes\n', '[Resolve]\nDNSStubListener=no\n']), false)
  assert.equal(hasStub(['DNSStubListener=no\n', 'DNSStubListener=udp\n']), true)
})

test('stanzas of ifupdown are read, comments, the loopback and manual ones are not', () => {
  const text = 'auto lo\niface lo inet loopback\n# iface old inet dhcp\niface wan0 inet dhcp\n  iface br0 inet manual\n'
  assert.deepEqual(parseInterfaces(text), [{ device: 'wan0', method: 'dhcp' }])
})

test('every port that an engine declares is watched, once', () => {
  const ports = watchedPorts(engines, [
    { name: 'dns', state: 'active' },
    { name: 'wpad.10.10.0.1', state: 'failed' },
  ])
  const found = new Map(ports.map(({ protocol, port, state }) => [`${protocol} ${port}`, state]))
  assert.equal(found.size, ports.length)
  const wanted = {
    'tcp 53': 'running',
    'udp 53': 'running',
    'udp 67': 'off',
    'tcp 80': 'failed',
    'udp 161': 'off',
    'tcp 3128': 'off',
  }
  for (const [name, state] of Object.entries(wanted)) assert.equal(found.get(name), state, name)
  assert.ok(watchedPorts(engines, null).every(({ state }) => state === 'unknown'))
})

test('a profile counts as enforced by its mode, and as extended by our lines for this state folder', () => {
  const files: Readonly<Record<string, string>> = {
    '/sys/kernel/security/apparmor/profiles':
      'unbound (enforce)\n/usr/sbin/clamd (complain)\n/usr/sbin/squid (enforce)\n',
    '/etc/apparmor.d/local/usr.sbin.squid': '# portcullis begin /srv/state\n',
  }
  const read = (stateDir: string) =>
    readProfiles(stateDir, (path) => files[path] ?? '').map(({ name, isEnforced, hasAddition }) => [
      name,
      isEnforced,
      hasAddition,
    ])
  assert.deepEqual(read('/srv/state'), [
    ['usr.sbin.unbound', true, false],
    ['usr.sbin.squid', true, true],
    ['usr.sbin.clamd', false, false],
    ['usr.sbin.dnsmasq', false, false],
  ])
  assert.deepEqual(read('/srv')[1], ['usr.sbin.squid', true, false])
})

test('what applyd read as text is found as conflicts', () => {
  const socket = { protocol: 'udp', address: '0.0.0.0', port: 53, inode: '601' } as const
  const listing = JSON.stringify({
    nftables: [
      { chain: { name: 'forward', hook: 'forward', policy: 'drop' } },
      { chain: { name: 'c', policy: 'accept' } },
    ],
  })
  const found = findConflicts(
    {
      plane: 'host',
      stateDir: '/srv/state',
      app: '/app',
      devices: ['wan0'],
      units: [{ name: 'dns', state: 'failed', message: '', pid: null }],
      missingLimits: null,
      held: [{ ...socket, holder: { pid: 7, program: 'named', mark: '' } }],
      services: ['networking', 'systemd-networkd']
        .map((name) => `Id=${name}.service\nLoadState=loaded\nActiveState=active\nUnitFileState=enabled\n`)
        .join('\n'),
      sockets: 'udp UNCONN 0 0 0.0.0.0:53 0.0.0.0:* ino:601 sk:1 cgroup:/system.slice/named.service <->\n',
      legacy: '',
      tables: [
        { family: 'inet', name: 'strict', listing },
        { family: 'ip', name: 'long', listing: null },
      ],
      files: {
        '/etc/network/interfaces': 'iface wan0 inet dhcp\n',
        '/sys/class/net/wan0/ifindex': '3\n',
        '/run/systemd/netif/links/3': 'ADMIN_STATE=configured\n',
      },
    },
    engines,
  )
  const codes = found.map(({ code }) => code)
  for (const code of ['port.53', 'rules.inet-strict', 'network.networkd', 'network.ifupdown'])
    assert.ok(codes.includes(code), `${code} in ${codes.join()}`)
  assert.match(found.find(({ code }) => code === 'port.53')?.title ?? '', /named\.service/)
  assert.deepEqual(findConflicts(null, engines), [])
})

// Upgrade, the way back, removal and purge on a machine with its own kernel: engines and settings outlive an upgrade and its undo,
// and nothing outlives a purge.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { eventually, type FullGateway, slowly } from './full-kernel.ts'
import { dhcpOf } from './full-kernel-engines.ts'
import { startPings } from './internet.ts'
import type { Packages } from './packages.ts'
import { differences, type Snapshot, takeSnapshot } from './snapshot.ts'

/** What a removal leaves: settings and accounts of the gateway, and what dpkg needs for a purge. */
const ofRemoval = [
  /\/var\/lib\/portcullis|\/etc\/portcullis|portcullis\S*:x:|\/etc\/(?:passwd|group|shadow|gshadow)$/,
  /\/var\/lib\/dpkg\/info\/portcullis\.(?:list|postrm)|deb-systemd-helper-|\.wants\/portcullis/,
]

export function testLife(gateway: () => FullGateway, built: () => Packages, untouched: () => Snapshot): void {
  const groups = '/sys/fs/cgroup/system.slice/portcullis-groups.service/engines'
  const shell = (text: string): Promise<string> => gateway().machine.shell(text)
  const isOut = (): Promise<void> =>
    eventually('the client gets out', async () => {
      const { stdout } = await gateway().machine.beside('client', [
        '/usr/bin/curl',
        '-s',
        '-m',
        '60',
        'http://198.51.100.10/',
      ])
      return stdout.startsWith('internet of')
    })
  const processes = (): Promise<string> => shell(`cd ${groups} && grep -H . */cgroup.procs`)
  const settings = async (): Promise<string> => {
    const { api } = gateway()
    const paths = ['/aliases/ip_addresses', '/firewall/rules/forward', '/network/connections', '/dhcp_server/settings']
    const lists = []
    for (const path of paths) lists.push(await api.call('GET', path))
    return JSON.stringify(lists)
  }

  const addAddress = async (title: string, value: string): Promise<string> =>
    ((await gateway().api.call('POST', '/aliases/ip_addresses', { title, comment: '', value })) as { id: string }).id

  /** With pings through the gateway all the time. */
  async function changeVersion(args: readonly string[], version: string): Promise<void> {
    const { machine, api } = gateway()
    const before = { settings: await settings(), processes: await processes() }
    const pings = await startPings(machine, 0.2)
    const { code, stdout, stderr } = await machine.run(['gw', 'upgrade', ...args, '--yes'])
    const { sent, answered } = await pings.stop()
    assert.equal(code, 0, `${stdout}${stderr}${await shell('journalctl --no-pager -u portcullis-upgrade')}`)
    assert.ok(sent >= 100, `${sent} pings`)
    assert.equal(answered, sent)
    await eventually('that version answers', async () => (await api.try('GET', '/network/connections')).status === 200)
    assert.equal((await shell('dpkg-query --show portcullis')).trim(), `portcullis\t${version}`)
    assert.equal(await processes(), before.processes)
    assert.equal(await settings(), before.settings)
    for (const unit of ['applyd', 'gatewayd', 'groups', 'engines', 'boot'])
      assert.equal((await shell(`systemctl is-active portcullis-${unit}.service`)).trim(), 'active', unit)
    await isOut()
  }

  it('keeps engines, settings and every packet over an upgrade', slowly, async () => {
    const { machine, api } = gateway()
    await isOut()
    const web = await addAddress('web', '198.51.100.10')
    await api.call('POST', '/firewall/rules/forward', { action: 'accept', destination_addresses: [web] })
    await api.call('POST', '/dhcp_server/settings', await dhcpOf(api))
    await eventually('two engines run', async () => /dhcp.*\n.*dns/.test(await processes()))
    await machine.copy(built().next, '/var/tmp/next.deb')
    await changeVersion(['/var/tmp/next.deb'], built().nextVersion)
  })

  it('goes back to the version before, and keeps what was changed since', slowly, async () => {
    await addAddress('later', '198.51.100.11')
    await changeVersion(['--undo'], built().firstVersion)
  })

  it('leaves its state and nothing else when it is removed', slowly, async () => {
    await gateway().machine.must(['dpkg', '--remove', 'portcullis'])
    const changed = differences(untouched(), await takeSnapshot(gateway().machine))
    assert.deepEqual(
      changed.filter((line) => !ofRemoval.some((kept) => kept.test(line))),
      [],
    )
    await shell('test -d /var/lib/portcullis/gateway')
  })

  it('leaves the machine as it was when it is purged', slowly, async () => {
    await gateway().machine.must(['dpkg', '--purge', 'portcullis'])
    assert.deepEqual(differences(untouched(), await takeSnapshot(gateway().machine)), [])
  })
}

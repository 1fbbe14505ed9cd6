// What one engine may take, and what AppArmor lets it do, on a machine with its own kernel: every engine runs and does its work.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { eventually, type FullApi, type FullGateway, password, slowly } from './full-kernel.ts'

const groups = '/sys/fs/cgroup/system.slice/portcullis-groups.service'
/** The engines that are switched on here. */
const engines = ['dns', 'dhcp', 'inspection', 'web-filter', 'web-filter-proxy']

const dhcpServer = {
  dns: [],
  domain: '',
  gateway: '',
  lease_time: 60,
  options: [],
  ranges: ['10.10.0.50-10.10.0.99'],
  routes: [],
  tftp_filename: '',
  tftp_server: '',
  wins: [],
  wpad_enabled: false,
}

/** Leases for the local network. */
export async function dhcpOf(api: FullApi): Promise<object> {
  const connections = (await api.call('GET', '/network/connections')) as { id: number; type: string }[]
  const lan = connections.find(({ type }) => type === 'lan')
  return { enabled: true, interface: `interface.id.${lan?.id}`, relay: null, server: dhcpServer }
}

export function testEngines(gateway: () => FullGateway): void {
  const shell = (text: string): Promise<string> => gateway().machine.shell(text)
  const processesOf = async (group: string): Promise<string[]> => {
    const { stdout } = await gateway().machine.run(['cat', `${groups}/${group}/cgroup.procs`])
    return stdout.split('\n').filter(Boolean)
  }
  const ask = async (...args: readonly string[]): Promise<string> =>
    (await gateway().machine.beside('client', args)).stdout

  it('runs every engine at once', slowly, async () => {
    const { api } = gateway()
    await api.call('POST', '/dhcp_server/settings', await dhcpOf(api))
    // Debian ships it switched off.
    await shell(
      'rm -f /etc/apparmor.d/disable/usr.sbin.squid; apparmor_parser --replace --write-cache /etc/apparmor.d/usr.sbin.squid',
    )
    await api.call('PATCH', '/content-filter/state', { enabled: true })
    await api.call('PATCH', '/ips/state', { enabled: true })
    const rule = { action: 'accept', ips_enabled: true, ips_profile: '__DEFAULT_IPS_PROFILE_ID__' }
    await api.call('POST', '/firewall/rules/forward', rule)
    for (const name of engines)
      await eventually(`${name} runs in its group`, async () => (await processesOf(`engines/${name}`)).length > 0)
    await eventually(
      'inspection is active',
      async () => (await api.call('GET', '/inspection/channels')).state === 'active',
    )
    await eventually('the content filter is active', async () => {
      const items = (await api.call('GET', '/content-filter/status')) as { name: string; status: string }[]
      return items.some(({ name, status }) => name === 'content-filter' && status === 'active')
    })
  })

  it('does its work for a client', slowly, async () => {
    await eventually('a name is answered', async () =>
      /127\.0\.0\.1/.test(await ask('/usr/bin/dig', '@10.10.0.1', '+short', 'localhost')),
    )
    await eventually('an address is leased', async () =>
      /10\.10\.0\.\d+ obtained/.test(
        (
          await gateway().machine.beside('client', [
            '/bin/sh',
            '-c',
            'busybox udhcpc -i eth0 -f -q -n -t 20 -s /bin/true 2>&1',
          ])
        ).stdout,
      ),
    )
    await eventually('a page comes through the web proxy', async () =>
      (await ask('/usr/bin/curl', '-s', '-m', '120', 'http://198.51.100.10/')).startsWith('internet of'),
    )
    assert.match(await shell('tail -n 5 /var/lib/portcullis/log/web-access.log'), /198\.51\.100\.10/)
  })

  it('has each engine in a group with limits', slowly, async () => {
    assert.equal((await processesOf('keeper')).length, 1)
    const all = Number(await shell(`cat ${groups}/engines/memory.max`))
    const memory = Number(await shell("awk '/^MemTotal/ { print $2 * 1024 }' /proc/meminfo"))
    assert.ok(all > 0 && all < memory, `${all} of ${memory}`)
    const names = (await shell(`cd ${groups}/engines && ls -d */`)).split('/\n').filter(Boolean)
    // The kernel counts in pages.
    const each = Math.floor((all * 0.8) / 4096) * 4096
    for (const name of names) {
      const limits = await shell(`cd ${groups}/engines/${name} && cat memory.max memory.oom.group pids.max`)
      assert.deepEqual(limits.trim().split('\n').map(Number), [each, 1, 2048], name)
    }
    // But for programs that applyd asks something.
    const main = await mainPid()
    const own = 'cat /sys/fs/cgroup/system.slice/portcullis-applyd.service/cgroup.procs'
    await eventually('only applyd itself is in its own group', async () => (await shell(own)).trim() === main)
  })

  const mainPid = async (): Promise<string> =>
    (await shell('systemctl show --value -p MainPID portcullis-applyd.service')).trim()

  it('confines engines with the profiles of Debian, which refuse them nothing', slowly, async () => {
    const loaded = await shell('cat /sys/kernel/security/apparmor/profiles')
    for (const [engine, profile] of [
      ['dns', /unbound/],
      ['web-filter-proxy', /squid/],
      ['inspection', /suricata/],
      ['dhcp', /dnsmasq/],
    ] as const) {
      const lines = loaded.split('\n').filter((line) => profile.test(line) && !line.includes('//'))
      const [pid] = await processesOf(`engines/${engine}`)
      const program = (await shell(`readlink /proc/${pid}/exe`)).trim()
      // In Debian 13 the profile is that of /usr/sbin/squid, and the program behind that name is squid-openssl: it is not confined.
      const isEnforced = lines.some((line) => /^(?!\/)\S+ \(enforce\)$/.test(line) || line === `${program} (enforce)`)
      const current = (await shell(`cat /proc/${pid}/attr/current`)).trim()
      if (isEnforced) assert.match(current, new RegExp(`${profile.source}.* \\(enforce\\)`), engine)
    }
    assert.match(loaded, /unbound \(enforce\)/)
    assert.match(loaded, /squid \(enforce\)/)
    // The DNS server of Debian, which ran before, is refused something.
    const installed = Number(await shell('stat --format=%Y /var/lib/dpkg/info/portcullis.list'))
    const refused = (await shell('journalctl --dmesg --no-pager --output=cat'))
      .split('\n')
      .filter((line) => line.includes('apparmor="DENIED"') && Number(/audit\((\d+)/.exec(line)?.[1]) >= installed)
    assert.deepEqual(refused, [])
  })

  it('ends an engine that takes too much memory, and nothing else', slowly, async () => {
    const before = { dns: await processesOf('engines/dns'), applyd: await mainPid() }
    const group = `${groups}/engines/dns`
    await shell(`echo 150M > ${group}/memory.max`)
    // What the machine of the test runs is kept from the kernel's choice otherwise.
    const greedy = `echo 0 > /proc/$$/oom_score_adj; echo $$ > ${group}/cgroup.procs; exec tail /dev/zero`
    const { code } = await gateway().machine.run(['sh', '-c', greedy])
    assert.equal(code, 128 + 9)
    await eventually('DNS is started again', async () => {
      const now = await processesOf('engines/dns')
      return now.length > 0 && !now.some((pid) => before.dns.includes(pid))
    })
    assert.equal(await mainPid(), before.applyd)
  })

  it('keeps engines in their groups when applyd is restarted', slowly, async () => {
    const pids = async () =>
      Object.fromEntries(await Promise.all(engines.map(async (name) => [name, await processesOf(`engines/${name}`)])))
    const before = await pids()
    await gateway().machine.must(['systemctl', 'restart', 'portcullis-applyd.service'])
    assert.deepEqual(await pids(), before)
  })

  it('lacks nothing once it has the cards for itself, and says so', slowly, async () => {
    const { api } = gateway()
    const conflicts = async () => (await api.call('GET', '/machine/conflicts')) as { code: string; fix: string }[]
    await eventually('applyd answers again', async () => (await api.try('GET', '/machine/conflicts')).status === 200)
    // The machine was a router before: what set up its cards then is the one thing that is in the way, until it is told not to.
    // An applyd that has just started knows its cards with the plan that follows.
    let fix = ''
    await eventually('it knows what is in the way', async () => {
      const [found, ...others] = await conflicts()
      fix = found?.fix ?? ''
      return found?.code === 'network.networkd' && others.length === 0
    })
    await shell(fix)
    await eventually('nothing is in the way', async () => (await conflicts()).length === 0)
    const settings = (await api.call('GET', '/network/kernel_settings')) as { name: string; state: string }[]
    assert.notEqual(settings.length, 0)
    assert.deepEqual(
      settings.filter(({ state }) => state !== 'set'),
      [],
    )
    await eventually('health finds nothing', async () => {
      const { checks } = (await api.call('GET', '/health')) as { checks: { id: string; state: string }[] }
      return checks.every(({ state }) => state === 'ok' || state === 'unknown')
    })
  })

  it('knows that it is slow', slowly, async () => {
    const program =
      "const { pace } = await import('/usr/lib/portcullis/server/src/shared/pace.ts'); console.log(pace())"
    const pace = Number(
      await gateway().machine.must(['/usr/lib/portcullis/bin/node', '--input-type=module', '-e', program]),
    )
    assert.ok(pace >= 8, `${pace}`)
  })

  it('answers status and health in its own time', slowly, async () => {
    const login = ['sh', '-c', `echo ${password} | gw login --trust && gw status`]
    const { code, stdout, stderr } = await gateway().machine.run(login)
    assert.equal(code, 0, `${stdout}${stderr}`)
    assert.doesNotMatch(stdout, /timed out/)
  })
}

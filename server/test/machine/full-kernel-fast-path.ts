// The fast path on a kernel that has one: open connections skip the rules, and are counted, shown, ended and led back to the rules all
// the same.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { it } from 'node:test'
import { appRoot } from '../../src/tools/launcher/layout.ts'
import { until } from '../support/until.ts'
import { eventually, type FullGateway, slowly } from './full-kernel.ts'

const [host, site] = ['10.10.0.2', '198.51.100.10']
const sitePort = 9200
const program = join(appRoot, 'server/test/support/talker.ts')
const megabyte = 1024 * 1024

interface Talker extends AsyncDisposable {
  /** How many bytes of these the other end has. */
  say(bytes: number): Promise<number>
}

interface Tracked {
  readonly line: string
  readonly isFast: boolean
  readonly packets: number
  readonly bytes: number
}

export function testFastPath(gateway: () => FullGateway): void {
  const call = (method: string, path: string, body?: object) => gateway().api.call(method, path, body)
  const shell = (text: string): Promise<string> => gateway().machine.shell(text)

  function start(where: 'client' | 'inet', args: readonly string[]) {
    const child = gateway().machine.startBeside(where, [process.execPath, program, ...args])
    const dispose = async (): Promise<void> => {
      if (child.exitCode !== null) return
      child.stdin?.end()
      await once(child, 'exit')
    }
    return { child, [Symbol.asyncDispose]: dispose }
  }
  const listen = async () => {
    const other = start('inet', ['', '', site, `${sitePort}`])
    const listening = ['ss', '-Hltn', `sport = :${sitePort}`]
    await until('it listens', async () => (await gateway().machine.beside('inet', listening)).stdout !== '')
    return other
  }
  /** From a port of its own, by which the kernel's table has it. */
  const talk = (port: number): Talker => {
    const { child, ...rest } = start('client', [host, `${port}`, site, `${sitePort}`])
    assert.ok(child.stdout)
    const lines = createInterface(child.stdout)
    const say = async (bytes: number): Promise<number> => {
      child.stdin?.write(`${bytes}\n`)
      const [line] = (await once(lines, 'line')) as [string]
      return Number(line)
    }
    return { say, ...rest }
  }

  /** The connection as the kernel counts it, both directions together. */
  const tracked = async (port: number): Promise<Tracked> => {
    const line = (await shell(`grep 'src=${host} .*sport=${port} ' /proc/net/nf_conntrack || true`)).trim()
    const sum = (name: string): number =>
      [...line.matchAll(new RegExp(` ${name}=(\\d+)`, 'g'))].reduce((all, [, count]) => all + Number(count), 0)
    return { line, isFast: line.includes('[OFFLOAD]'), packets: sum('packets'), bytes: sum('bytes') }
  }
  /** Packets of all open connections that the rules saw. */
  const seenByRules = async (): Promise<number> => {
    const rules = await gateway().machine.must(['nft', 'list', 'chain', 'inet', 'portcullis', 'forward'])
    return Number(/counter packets (\d+) .*"fwd\.sys\.established"/.exec(rules)?.[1] ?? assert.fail(rules))
  }
  const cards = async (): Promise<string> => {
    const { code, stdout } = await gateway().machine.run(['nft', 'list', 'table', 'inet', 'portcullis_fast'])
    return code === 0 ? (/devices = \{ (.*) \}/.exec(stdout)?.[1] ?? '') : 'closed'
  }
  const status = async (): Promise<string> => {
    const items = (await call('GET', '/firewall/status')) as { name: string; status: string; msg: string[] }[]
    const item = items.find(({ name }) => name === 'fast-path')
    return item === undefined ? 'none' : `${item.status}: ${item.msg.join()}`
  }
  /** Enough packets for the kernel to take it there, and then as many as matter. */
  const becomesFast = (talker: Talker, port: number): Promise<void> =>
    eventually('its packets skip the rules', async () => {
      assert.equal(await talker.say(megabyte), megabyte)
      return (await tracked(port)).isFast
    })

  it('is open between both cards, and the status says so', slowly, async () => {
    await eventually('it is open', async () => (await cards()) === 'lan0, wan0')
    assert.match(await status(), /^active: Open connections between lan0, wan0 skip the rules/)
  })

  it('takes an open connection, whose packets and bytes are counted and shown', slowly, async () => {
    await using _other = await listen()
    await using talker = talk(41_001)
    await becomesFast(talker, 41_001)
    const [before, rulesBefore] = [await tracked(41_001), await seenByRules()]
    assert.equal(await talker.say(8 * megabyte), 8 * megabyte)
    const [after, rulesAfter] = [await tracked(41_001), await seenByRules()]
    assert.ok(after.isFast, after.line)
    assert.ok(after.bytes - before.bytes >= 8 * megabyte, `${before.line}${after.line}`)
    // Others may have some; the emulated card takes packets of up to 64 kB.
    const packets = after.packets - before.packets
    assert.ok(rulesAfter - rulesBefore < packets / 4, `${rulesAfter - rulesBefore} of ${packets}`)
    const sessions = (await call('GET', '/reports/traffic/sessions')) as { source_proto: string }[]
    assert.ok(sessions.some(({ source_proto }) => source_proto === 'TCP:41001'))
  })

  it('does not take a connection with the mark of a channel or of the web proxy', slowly, async () => {
    await using _other = await listen()
    for (const [port, mark] of [
      [41_002, '0x100'],
      [41_003, '0x10100'],
      [41_004, '0x4'],
    ] as const) {
      const chain = 'type filter hook prerouting priority -150;'
      const rule = `ct state new tcp sport ${port} ct mark set ${mark}`
      const script = `table ip marks\ndelete table ip marks\ntable ip marks {\n chain p {\n ${chain}\n ${rule}\n }\n}\n`
      await gateway().machine.must(['nft', '-f', '-'], script)
      await using talker = talk(port)
      for (let turn = 0; turn < 3; turn++) assert.equal(await talker.say(megabyte), megabyte)
      const { isFast, line, packets } = await tracked(port)
      assert.ok(!isFast && packets > 48, line)
    }
    await gateway().machine.must(['nft', 'delete', 'table', 'ip', 'marks'])
  })

  it('is left by a connection that a change refuses', slowly, async () => {
    await using _other = await listen()
    await using talker = talk(41_005)
    await becomesFast(talker, 41_005)
    const { id } = (await call('POST', '/aliases/ip_addresses', { title: 'site', comment: '', value: site })) as {
      id: string
    }
    const drop = { action: 'drop', destination_addresses: [id] }
    const rule = (await call('POST', '/firewall/rules/forward?cut_connections=true', drop)) as { id: number }
    assert.equal(await talker.say(megabyte), 0)
    assert.ok(!(await tracked(41_005)).isFast)
    assert.equal(await cards(), 'lan0, wan0')
    await call('DELETE', `/firewall/rules/forward/${rule.id}`)
  })

  it('is closed while sessions of users depend on packets, and open again after that', slowly, async () => {
    await using _other = await listen()
    await using talker = talk(41_006)
    await becomesFast(talker, 41_006)
    const person = { name: 'ann', login: 'ann', parent_id: 'group.id.1', comment: '', psw: 'Slow-Kernel-20-Pass' }
    const { id: user_id } = (await call('POST', '/user_backend/users', person)) as { id: number }
    const byAddress = { enabled: true, ip: host, mac: null, always_logged: false, comment: '', user_id }
    const rule = (await call('POST', '/auth/rules', byAddress)) as { id: string }
    await eventually('it is closed', async () => (await cards()) === 'closed')
    assert.equal(await status(), 'none')
    const before = await seenByRules()
    assert.equal(await talker.say(megabyte), megabyte)
    const { isFast, line } = await tracked(41_006)
    assert.ok(!isFast, line)
    assert.ok((await seenByRules()) > before)
    // It lasts because its packets go through the rules, as seen above.
    await eventually('the host has a session', async () =>
      (await shell('nft list set inet portcullis auth_hosts')).includes(host),
    )
    await call('DELETE', `/auth/rules/${rule.id}`)
    await eventually('it is open', async () => (await cards()) === 'lan0, wan0')
    await becomesFast(talker, 41_006)
  })

  it('goes on with the other cards when one goes, and takes it again when it is back', slowly, async () => {
    await shell('readlink -f /sys/class/net/wan0/device/.. > /run/wan0; echo 1 > $(cat /run/wan0)/remove')
    await eventually(
      'the card is gone',
      async () => (await gateway().machine.run(['test', '-e', '/sys/class/net/wan0'])).code !== 0,
    )
    const rule = (await call('POST', '/firewall/rules/forward', { action: 'drop', protocol: 'protocol.icmp' })) as {
      id: number
    }
    const items = (await call('GET', '/firewall/status')) as { name: string; status: string }[]
    assert.equal(items.find(({ name }) => name === 'rules-in-kernel')?.status, 'active')
    assert.ok(!(await cards()).includes('wan0'))
    await shell('echo 1 > /sys/bus/pci/rescan')
    await eventually('it is open between both', async () => (await cards()) === 'lan0, wan0')
    await call('DELETE', `/firewall/rules/forward/${rule.id}`)
    await using _other = await listen()
    await using talker = talk(41_007)
    await becomesFast(talker, 41_007)
  })
}

// gw setup against a gateway of the test: what it asks, what it refuses, and what it leaves behind. The cards are given; the real
// ones of a machine are in the tests of the package.

import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { after, before, beforeEach, describe, it } from 'node:test'
import { inputRules } from '../../src/areas/firewall/config.ts'
import { connections } from '../../src/areas/network/config.ts'
import { ports } from '../../src/areas/objects/public.ts'
import { read } from '../../src/core/model/slots.ts'
import { parseInvocation, requireCommand } from '../../src/tools/cli/command.ts'
import { commands } from '../../src/tools/cli/command-list.ts'
import { createSetupCommand, type SetupParts } from '../../src/tools/cli/commands/setup.ts'
import type { Machine } from '../../src/tools/cli/commands/setup-machine.ts'
import { CommandFailure } from '../../src/tools/cli/failure.ts'
import { createKeyboard } from '../../src/tools/cli/keyboard.ts'
import { createTerminal } from '../../src/tools/cli/output/terminal.ts'
import { testPassword } from '../support/test-gateway.ts'
import { until } from '../support/until.ts'
import { type CliWorld, createCliWorld } from './gw-process.ts'

const machine: Machine = {
  cards: [
    {
      name: 'lan0',
      mac: '02:00:00:00:00:01',
      hasCarrier: true,
      addresses: ['10.10.0.1/24'],
      isDynamic: false,
      gateway: null,
      addresses6: [],
    },
    {
      name: 'wan0',
      mac: '02:00:00:00:00:02',
      hasCarrier: true,
      addresses: ['203.0.113.2/24'],
      isDynamic: false,
      gateway: '203.0.113.1',
      addresses6: [],
    },
  ],
  connection: null,
  dns: [],
}
const given = [
  '--outside',
  'wan0',
  '--outside-address',
  '203.0.113.2/24',
  '--gateway',
  '203.0.113.1',
  '--inside',
  'lan0',
  '--inside-address',
  '10.10.0.1/24',
]
const newPassword = 'another battery staple 7'

describe('gw setup', () => {
  let world: CliWorld
  let interrupt: () => void = () => {}
  before(async () => {
    world = await createCliWorld()
    await world.gateway.addAdministrator('root', 'predefined_admin_write')
  })
  after(() => world.close())
  beforeEach(() => {
    forgetSession()
    interrupt = () => {}
  })

  const forgetSession = () => rmSync(join(world.stateDir, '..', 'config'), { recursive: true, force: true })

  interface Options {
    readonly input?: string
    /** Texts of questions and what is typed then; a function is called instead. */
    readonly dialogue?: readonly (readonly [RegExp, string | (() => void)])[]
    readonly machine?: Machine
    readonly isRoot?: boolean
    readonly login?: string
  }

  async function setup(words: readonly string[], options: Options = {}) {
    const { input, dialogue, isRoot = true, login = 'root' } = options
    let [out, err] = ['', '']
    let step = 0
    let seen = 0
    const unexpected = Promise.withResolvers<never>()
    const stdin = dialogue
      ? Object.assign(new PassThrough(), { isTTY: true })
      : PassThrough.from([Buffer.from(input ?? '')])
    const follow = (): void => {
      const next = dialogue?.[step]
      const found = next?.[0].exec(err.slice(seen))
      if (!next || !found) {
        if (dialogue && /(?:: |\] )$/.test(err))
          unexpected.reject(new Error(`an unexpected question: ${err.slice(seen)}`))
        return
      }
      seen += found.index + found[0].length
      step += 1
      const [, answer] = next
      setImmediate(() => (typeof answer === 'string' ? stdin.write(`${answer}\n`) : answer()))
    }
    const terminal = createTerminal(
      { write: (text: string | Buffer) => (out += text) },
      {
        write: (text: string | Buffer) => {
          err += text
          follow()
        },
      },
      {},
    )
    const parts: SetupParts = {
      isRoot: () => isRoot,
      readMachine: () => options.machine ?? machine,
      onInterrupt: (stop) => {
        interrupt = stop
        return () => {}
      },
    }
    const args = ['setup', ...words, '--login', login, '--address', world.address]
    const invocation = parseInvocation(requireCommand(commands, args), args)
    const home = join(world.stateDir, '..')
    const context = {
      env: { HOME: home, XDG_CONFIG_HOME: join(home, 'config'), PORTCULLIS_STATE: world.stateDir },
      workingDir: home,
      terminal,
      keyboard: createKeyboard(stdin, terminal.note),
    }
    try {
      const code = await Promise.race([createSetupCommand(parts)(invocation, context), unexpected.promise])
      return { code, out, err, lines: '' }
    } catch (error) {
      if (!(error instanceof CommandFailure)) throw error
      return { code: error.exitCode, out, err, lines: [error.message, ...error.lines].join('\n') }
    }
  }
  const stored = () =>
    read(world.gateway.engine.config, connections).map((one) => [
      one.type,
      one.mac,
      'addresses' in one ? one.addresses.join() : '',
    ])
  const revision = () => world.gateway.engine.revision
  const fromStdin = (...more: string[]) => [...given, '--password-stdin', '--yes', ...more]
  const both = [
    ['wan', '02:00:00:00:00:02', '203.0.113.2/24'],
    ['lan', '02:00:00:00:00:01', '10.10.0.1/24'],
  ]

  it('is for root', async () => {
    const { code, lines } = await setup(given, { isRoot: false })
    assert.deepEqual([code, lines], [1, 'Only root may do this, on the machine itself.'])
  })

  it('names every option that is missing or wrong, and does nothing', async () => {
    const before = revision()
    const cases: [string[], RegExp][] = [
      [['--yes'], /--outside: This option is missing\.\n--outside-address: This option is missing\.\n--inside: /],
      [fromStdin('--outside', 'eth9'), /^--outside: There is no card "eth9"\. Cards: lan0, wan0\.$/m],
      [fromStdin('--inside-address', '203.0.113.7/24'), /^--inside-address: Its network overlaps/m],
      [fromStdin('--dhcp-range', '1-2'), /^--dhcp-range: Must be a range/m],
      [fromStdin('--confirm', '5'), /^--confirm must be a whole number from 10 to 3600/],
      [[...given, '--yes'], /^--password-stdin: This option is missing\./],
    ]
    for (const [words, message] of cases) {
      const { code, lines } = await setup(words, { input: `${testPassword}\n` })
      assert.equal(code, 2, lines)
      assert.match(lines, message)
    }
    assert.match((await setup(fromStdin(), { input: '\n' })).lines, /--password-stdin: The first line .* is empty/)
    assert.equal(revision(), before)
  })

  it('says that a password is wrong', async () => {
    const { code, lines } = await setup(fromStdin(), { input: 'not the password\n' })
    assert.equal(code, 1)
    assert.match(lines, /The password of root is wrong\.\nIf it is lost: gw admin reset/)
  })

  it('sets both connections in one revision, confirmed when no one can be cut off', async () => {
    const before = revision()
    const { code, out, err, lines } = await setup(fromStdin('--dns', '192.0.2.53'), { input: `${testPassword}\n` })
    assert.equal(code, 0, lines)
    assert.deepEqual(stored(), both)
    assert.equal(revision(), before + 1)
    assert.equal(world.gateway.engine.probation, null)
    assert.match(err, /CARD\s+MAC\s+CARRIER\s+ADDRESSES.*\nlan0 .*\nwan0 .*default route by 203\.0\.113\.1/)
    assert.match(out, /https:\/\/10\.10\.0\.1:\d+\/\s+the web console/)
    assert.match(out, /gw login --address https:\/\/10\.10\.0\.1/)
  })

  it('may be run again, and changes nothing then', async () => {
    const before = revision()
    const { code, lines } = await setup(fromStdin('--dns', '192.0.2.53'), { input: `${testPassword}\n` })
    assert.equal(code, 0, lines)
    assert.deepEqual(stored(), both)
    assert.ok(revision() <= before + 1)
  })

  it('leaves the session for other commands', async () => {
    await setup(fromStdin(), { input: `${testPassword}\n` })
    const { code, out } = await world.gw(['whoami', '--json'])
    assert.equal(code, 0)
    assert.equal(JSON.parse(out).login, 'root')
  })

  it('leases addresses inside, as one entry however often it is run', async () => {
    for (const range of ['10.10.0.100-10.10.0.150', '10.10.0.50-10.10.0.60']) {
      const { code, lines } = await setup(fromStdin('--dhcp-range', range), { input: `${testPassword}\n` })
      assert.equal(code, 0, lines)
      const { out } = await world.gw(['get', '/dhcp_server/settings', '--json'])
      const [entry, ...others] = JSON.parse(out) as { server: { ranges: string[] }; enabled: boolean }[]
      assert.deepEqual([entry?.server.ranges, entry?.enabled, others.length], [[range], true, 0])
    }
  })

  it('says how to change a network in which DHCP leases addresses', async () => {
    const { code, lines } = await setup(fromStdin('--inside-address', '10.60.0.1/24'), { input: `${testPassword}\n` })
    assert.equal(code, 1)
    assert.match(
      lines,
      /DHCP leases other addresses there\. Switch it off first: gw patch \/dhcp_server\/settings\/[\w-]+ enabled=false/,
    )
  })

  const over = (to: string, port: number | null = null): Machine => ({
    ...machine,
    connection: { from: '198.51.100.7', to, port },
  })
  const moved = ['--inside-address', '10.20.0.1/24', '--dhcp-range', 'none']

  async function withoutLeases(): Promise<void> {
    await world.gw(['login', '--address', world.address, '--login', 'root', '--trust'], { input: `${testPassword}\n` })
    const { out } = await world.gw(['get', '/dhcp_server/settings', '--json'])
    for (const { id } of JSON.parse(out) as { id: string }[]) await world.gw(['delete', `/dhcp_server/settings/${id}`])
  }

  it('waits for gw confirm from a new session where the administrator could be cut off', async () => {
    await withoutLeases()
    const { code, err, out } = await setup(fromStdin(...moved), {
      input: `${testPassword}\n`,
      machine: over('10.10.0.1'),
    })
    assert.equal(code, 0)
    assert.match(err, /lan0 .*you are connected over it, from 198\.51\.100\.7/)
    assert.match(out, /gw confirm\s+within 120 seconds/)
    assert.equal(world.gateway.engine.probation?.seconds, 120)
    assert.equal((await world.gw(['put-back'])).code, 0)
    assert.deepEqual(stored(), both)
  })

  it('does not wait when the card of the administrator stays as it is', async () => {
    const { code } = await setup(fromStdin(...moved), { input: `${testPassword}\n`, machine: over('203.0.113.2') })
    assert.equal(code, 0)
    assert.equal(world.gateway.engine.probation, null)
    assert.equal((await setup(fromStdin(), { input: `${testPassword}\n` })).code, 0)
    assert.deepEqual(stored(), both)
  })

  const opened = () =>
    read(world.gateway.engine.config, inputRules).map(({ comment, destination_ports: [id] }) => [
      read(world.gateway.engine.config, ports).find((one) => one.id === id)?.value,
      comment,
    ])
  const why =
    'Kept open from outside by the first set-up, because an administrator was connected through this port over SSH.'

  it('opens nothing for an administrator who is not connected over the card outside, or does not want it', async () => {
    for (const [where, words] of [
      [machine, []],
      [over('10.10.0.1', 2200), []],
      [over('203.0.113.2', 2200), ['--no-ssh']],
    ] as const) {
      const { code, err, lines } = await setup(fromStdin(...words), { input: `${testPassword}\n`, machine: where })
      assert.equal(code, 0, lines)
      assert.equal(/SSH from outside/.test(err), words.length > 0)
      if (words.length > 0) assert.match(err, /no rule is added: unless there is one for port 2200/)
    }
    assert.deepEqual(opened(), [])
  })

  it('keeps the port of SSH open for an administrator from outside, in the same revision and once', async () => {
    for (const more of [1, 0]) {
      const before = revision()
      const { code, err, lines } = await setup(fromStdin(), {
        input: `${testPassword}\n`,
        machine: over('203.0.113.2', 2200),
      })
      assert.equal(code, 0, lines)
      assert.match(err, /SSH from outside\s+port 2200 stays open, by a rule of the table INPUT/)
      assert.deepEqual(opened(), [[2200, why]])
      assert.equal(revision(), before + more)
    }
  })

  type Dialogue = NonNullable<Options['dialogue']>
  const questionsFor = (inside: string, more: Dialogue = []): Dialogue => [
    [/outside\)\? \[wan0\]: /, ''],
    [/prefix, or dhcp \[203\.0\.113\.2\/24\]: /, '203.0.113.2'],
    [/prefix of its network[\s\S]*or dhcp \[203\.0\.113\.2\/24\]: /, '203.0.113.2/24'],
    [/or none \[203\.0\.113\.1\]: /, ''],
    [/DNS servers .*\[none\]: /, ''],
    [/inside\)\? \[lan0\]: /, ''],
    [/prefix \[10\.10\.0\.1\/24\]: /, inside],
    [/as it is \[none\]: /, ''],
    ...more,
    [/Password of root: /, testPassword],
    [/Set up the gateway so\? \[y\/N\] /, 'y'],
  ]

  it('asks for everything at a terminal, and again for what is wrong', async () => {
    const { code, err, lines } = await setup(['--confirm', '300'], {
      dialogue: [...questionsFor('10.30.0.1/24'), [/Keep it\? \[y\/N\] /, 'yes']],
    })
    assert.equal(code, 0, `${lines}\n${err}`)
    assert.equal(world.gateway.engine.probation, null)
    assert.equal(stored()[1]?.[2], '10.30.0.1/24')
  })

  it('asks at a terminal whether the port of SSH stays open from outside', async () => {
    const question = /Keep port 2201 open from outside\? \[Y\/n\] /
    const run = (...answers: readonly string[]) =>
      setup(['--confirm', '300'], {
        machine: over('203.0.113.2', 2201),
        dialogue: [
          ...questionsFor(
            '10.30.0.1/24',
            answers.map((answer) => [question, answer]),
          ),
          [/Keep it\? \[y\/N\] /, 'yes'],
        ],
      })
    assert.match((await run('maybe', 'n')).err, /Must be y or n\.[\s\S]*no rule is added/)
    assert.deepEqual(opened(), [[2200, why]])
    forgetSession()
    assert.match((await run('')).err, /port 2201 stays open/)
    assert.deepEqual(opened(), [
      [2200, why],
      [2201, why],
    ])
  })

  for (const [what, answer] of [
    ['an answer that is not yes', 'n'],
    ['Ctrl-C', () => interrupt()],
  ] as const)
    it(`${what} reverts the change at once`, async () => {
      const { code, lines } = await setup(['--confirm', '300'], {
        dialogue: [...questionsFor('10.40.0.1/24'), [/Keep it\? \[y\/N\] /, answer]],
      })
      assert.equal(code, 1)
      assert.match(lines, /The addresses are as they were before/)
      assert.equal(world.gateway.engine.probation, null)
      assert.equal(stored()[1]?.[2], '10.30.0.1/24')
    })

  it('leaves everything as it is without a yes before the change', async () => {
    const before = revision()
    const dialogue = [...questionsFor('10.40.0.1/24').slice(0, -1), [/so\? \[y\/N\] /, ''] as const]
    assert.equal((await setup([], { dialogue })).lines, 'Nothing was changed.')
    assert.equal(revision(), before)
  })

  it('names the option of what the gateway refuses', async () => {
    await world.gw(['login', '--address', world.address, '--login', 'root', '--trust'], { input: `${testPassword}\n` })
    const third = ['type=lan', 'title=third', 'enabled=true', 'mac=02:00:00:00:00:03', 'enable_dhcp=false']
    const { code, err } = await world.gw(['post', '/network/connections', ...third, 'addresses=10.50.0.1/24'])
    assert.equal(code, 0, err)
    const refusal = await setup(fromStdin('--inside-address', '10.50.0.9/24'), { input: `${testPassword}\n` })
    assert.equal(refusal.code, 1)
    assert.match(refusal.lines, /^--inside-address: Its network overlaps with 10\.50\.0\.1\/24 of “third”/)
  })

  it('replaces the first password, and refuses a weak one before that is used', async () => {
    await world.gateway.addAdministrator('admin', 'predefined_admin_write')
    const file = join(world.stateDir, 'gateway', 'first-password')
    writeFileSync(file, `${testPassword}\n`, { mode: 0o600 })
    const weak = await setup(fromStdin(), { login: 'admin', input: 'password\n' })
    assert.equal(weak.code, 2)
    assert.match(weak.lines, /^--password-stdin: /)
    const { code, err, lines } = await setup(fromStdin(), { login: 'admin', input: `${newPassword}\n` })
    assert.equal(code, 0, lines)
    assert.match(err, /The password of admin is set\./)
    rmSync(file, { force: true })
    const again = await setup(fromStdin(), { login: 'admin', input: `${newPassword}\n` })
    assert.equal(again.code, 0, again.lines)
    await until('the session is the new one', async () => (await world.gw(['whoami'])).code === 0)
  })
})

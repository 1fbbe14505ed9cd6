// Two gateways at once, and everything that can name one: a call reaches the gateway that is meant, or none.

import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { commands } from '../../src/tools/cli/command-list.ts'
import { testPassword } from '../support/test-gateway.ts'
import { type CliWorld, createCliWorld, type Said } from './gw-process.ts'

type Name = 'one' | 'other'
type Source = Name | null

interface Shell {
  readonly option: Source
  readonly listen: Source
  readonly state: Source
  /** Runs in the working folder, as in a checkout. */
  readonly here: Source
  readonly last: Name
}

const sources: readonly Source[] = [null, 'one', 'other']
const shells: readonly Shell[] = sources.flatMap((option) =>
  sources.flatMap((listen) =>
    sources.flatMap((state) =>
      sources.flatMap((here) => (['one', 'other'] as const).map((last) => ({ option, listen, state, here, last }))),
    ),
  ),
)

/** Null: nothing may be sent, because the shell names two gateways. */
function meant({ option, listen, state, here, last }: Shell): Source {
  if (option === null && listen !== null && state !== null && listen !== state) return null
  return option ?? listen ?? state ?? here ?? last
}

describe('gw with two gateways', () => {
  const home = mkdtempSync(join(tmpdir(), 'gw-two-'))
  let worlds: Readonly<Record<Name, CliWorld>>
  const config = join(home, 'config')
  const folders: Record<'none' | Name, string> = {
    none: join(home, 'none'),
    one: join(home, 'one'),
    other: join(home, 'other'),
  }

  before(async () => {
    worlds = { one: await createCliWorld(), other: await createCliWorld() }
    for (const world of Object.values(worlds)) await world.gateway.addAdministrator('root', 'predefined_admin_write')
    // A state folder without a record: whatever runs in the checkout of this test is not meant.
    mkdirSync(join(folders.none, 'state', 'run'), { recursive: true })
    for (const name of ['one', 'other'] as const) {
      mkdirSync(folders[name])
      symlinkSync(worlds[name].stateDir, join(folders[name], 'state'))
      await signIn(name)
    }
  })
  after(async () => {
    for (const world of Object.values(worlds ?? {})) await world.close()
    rmSync(home, { recursive: true, force: true })
  })

  const run = (words: readonly string[], shell: Partial<Shell>, env: Record<string, string> = {}, input = '') =>
    worlds.one.gw([...words, ...(shell.option ? ['--address', worlds[shell.option].address] : [])], {
      input,
      workingDir: folders[shell.here ?? 'none'],
      env: {
        XDG_CONFIG_HOME: config,
        PORTCULLIS_LISTEN: shell.listen ? new URL(worlds[shell.listen].address).host : '',
        PORTCULLIS_STATE: shell.state ? worlds[shell.state].stateDir : '',
        ...env,
      },
    })

  async function signIn(option: Name): Promise<void> {
    const said = await run(['login', '--login', 'root', '--trust'], { option }, {}, `${testPassword}\n`)
    assert.equal(said.code, 0, said.err)
  }

  const revisions = (): Record<Name, number> => ({
    one: worlds.one.gateway.engine.revision,
    other: worlds.other.gateway.engine.revision,
  })

  /** The answer, and which of the two was changed. */
  async function change(shell: Shell): Promise<{ said: Said; changed: Name[] }> {
    const was = revisions()
    const said = await run(['post', '/aliases/ip_addresses', `title=n${was.one + was.other}`, 'value=192.0.2.1'], shell)
    const now = revisions()
    return { said, changed: (['one', 'other'] as const).filter((name) => now[name] !== was[name]) }
  }

  for (const last of ['one', 'other'] as const)
    it(`changes the one that is meant, whatever names it, after a sign-in to ${last}`, async () => {
      await signIn(last)
      for (const shell of shells.filter((one) => one.last === last)) {
        const { said, changed } = await change(shell)
        const target = meant(shell)
        const what = `${JSON.stringify(shell)}\n${said.err}`
        assert.deepEqual(changed, target === null ? [] : [target], what)
        assert.equal(said.code, target === null ? 2 : 0, what)
        const isNamed = shell.option ?? shell.listen ?? shell.state
        const isSaid = isNamed === null && (shell.here === null || shell.here !== last)
        assert.equal(said.err.includes(`Gateway: ${target && worlds[target].address}`), isSaid, what)
      }
    })

  it('says which two gateways are named, and sends nothing', async () => {
    const said = await run(['whoami'], { listen: 'one', state: 'other' })
    assert.equal(said.code, 2)
    assert.match(said.err, /PORTCULLIS_LISTEN and PORTCULLIS_STATE name two gateways\. Nothing was sent\./)
    for (const { address } of Object.values(worlds)) assert.ok(said.err.includes(address), said.err)
  })

  it('asks for a sign-in to the one that is named rather than using the session of the other', async () => {
    assert.equal((await run(['logout'], { option: 'one' })).code, 0)
    for (const shell of [{ option: 'one' }, { listen: 'one' }, { state: 'one' }, { here: 'one' }] as const) {
      const said = await run(['whoami'], shell)
      assert.equal(said.code, 3, JSON.stringify(shell))
      assert.ok(said.err.startsWith(`gw: You are not signed in to ${worlds.one.address}.\n`), said.err)
      assert.ok(said.err.includes(`You are signed in to ${worlds.other.address}: --address`), said.err)
    }
    assert.equal((await run(['whoami'], { option: 'other' })).code, 0)
    await signIn('one')
  })

  it('goes nowhere else when the gateway of the state has stopped, or was never there', async () => {
    await signIn('other')
    await worlds.one.stopGateway()
    const stopped = await run(['whoami'], { state: 'one' })
    assert.equal(stopped.code, 4)
    assert.match(stopped.err, /cannot be reached/)
    await worlds.one.startGateway()
    await signIn('one')
    for (const words of [['whoami'], ['login']]) {
      const nowhere = await run(words, {}, { PORTCULLIS_STATE: join(home, 'nowhere') }, 'x')
      assert.equal(nowhere.code, 4)
      assert.match(nowhere.err, /There is no gateway in \S+nowhere, which PORTCULLIS_STATE names\. Nothing was sent/)
    }
  })

  it('does not take what serves at the usual address for the gateway of a state that has another certificate', async () => {
    const path = join(config, 'portcullis', 'session.json')
    const text = readFileSync(path, 'utf8')
    const { host } = new URL(worlds.other.address)
    // As if the other gateway had been signed in to at the usual address, and the one of the state never.
    const saved = JSON.parse(text.replaceAll(host, '127.0.0.1:8443')) as Record<string, Record<string, unknown>>
    for (const part of ['sessions', 'certificates', 'roots'])
      saved[part] = Object.fromEntries(Object.entries(saved[part] ?? {}).filter(([at]) => at.endsWith(':8443')))
    writeFileSync(path, JSON.stringify(saved))
    rmSync(join(worlds.one.stateDir, 'run', 'launcher.json'))
    const said = await run(['whoami'], { state: 'one' })
    assert.equal(said.code, 4)
    assert.match(said.err, /does not run\. Nothing was sent\.\n {2}https:\/\/127\.0\.0\.1:8443 is another gateway\./)
    writeFileSync(path, text)
    await worlds.one.stopGateway()
    await worlds.one.startGateway()
    await signIn('one')
  })

  it('reads the variable as the launcher does', async () => {
    const { port } = new URL(worlds.one.address)
    const who = async (env: Record<string, string>) => (await run(['whoami', '--json'], {}, env)).out
    for (const listen of [`0.0.0.0:${port}`, `localhost:${port}`])
      assert.match(await who({ PORTCULLIS_LISTEN: listen }), new RegExp(`"${worlds.one.address}"`), listen)
    const free = await run(['whoami', '--json'], { state: 'other' }, { PORTCULLIS_LISTEN: '127.0.0.1:0' })
    assert.match(free.out, new RegExp(`"${worlds.other.address}"`))
    const bad = await run(['whoami'], {}, { PORTCULLIS_LISTEN: 'everywhere' })
    assert.equal(bad.code, 2)
    assert.match(bad.err, /PORTCULLIS_LISTEN must be an address and a port/)
  })

  it('takes --address with every command that calls a gateway', () => {
    const local = ['lab', 'admin', 'upgrade', 'completion', 'help', 'endpoints']
    const without = commands.filter(({ options }) => !options.some(({ name }) => name === 'address'))
    assert.deepEqual(
      without.map(({ words }) => words[0]).filter((word) => !local.includes(word ?? '')),
      [],
    )
  })
})

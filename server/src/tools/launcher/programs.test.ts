import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { PlaneChoice } from './planes.ts'
import { listPrograms, type ProgramContext, parseReady } from './programs.ts'

const lab: PlaneChoice = { plane: 'lab', limitation: null, isolation: 'root' }

function context(choice: PlaneChoice): ProgramContext {
  return {
    choice,
    places: { app: '/app', state: '/state' },
    accounts: { block: 70_000, service: { kind: 'separate', uid: 70_000, gid: 70_000 } },
    brand: 'acme',
    listenFd: 21,
    listenAddress: '127.0.0.1:8443',
    agentListen: { host: '::1', port: 14765 },
    agentPath: '/agents',
    nftWay: null,
    openLog: () => 9,
    firstPassword: () => null,
  }
}

function commandOf(choice: PlaneChoice, name: string): string {
  const program = listPrograms(context(choice)).find((candidate) => candidate.name === name)
  return [program?.command, ...(program?.args ?? [])].join(' ')
}

describe('the programs of a gateway', () => {
  test('in the lab gatewayd and applyd run in the gateway, the servers in the internet', () => {
    const places = listPrograms(context(lab)).map(({ name, args }) => [name, args[0]])
    assert.deepEqual(places.slice(0, 3), [
      ['applyd', '--net=/run/netns/gateway'],
      ['gatewayd', '--net=/run/netns/gateway'],
      ['web', '--net=/run/netns/internet'],
    ])
  })

  test('gatewayd loses every right, applyd keeps them', () => {
    assert.match(
      commandOf(lab, 'gatewayd'),
      /--reuid=70000 --regid=70000 --clear-groups --no-new-privs .*--bounding-set=-all/,
    )
    assert.doesNotMatch(commandOf(lab, 'applyd'), /setpriv/)
  })

  test('where no walls fall with the launcher the kernel signals its processes when it dies', () => {
    const host: PlaneChoice = { plane: 'host', limitation: null, isolation: 'mounts' }
    for (const name of ['gatewayd', 'applyd']) assert.match(commandOf(host, name), /setpriv .*--pdeathsig=TERM/)
    assert.doesNotMatch(commandOf(host, 'applyd'), /nsenter/)
    assert.deepEqual(
      listPrograms(context(host)).map(({ name }) => name),
      ['applyd', 'gatewayd'],
    )
  })

  test('gatewayd is told where agents connect, and nothing when no one said so', () => {
    const environment = (given: ProgramContext) =>
      listPrograms(given)
        .find(({ name }) => name === 'gatewayd')
        ?.env()
    const told = environment(context(lab))
    assert.deepEqual([told?.PORTCULLIS_AGENT_LISTEN, told?.PORTCULLIS_AGENT_PATH], ['[::1]:14765', '/agents'])
    const silent = environment({ ...context(lab), agentListen: null, agentPath: null })
    assert.deepEqual(
      Object.keys(silent ?? {}).filter((name) => name.includes('AGENT')),
      [],
    )
  })

  test('every program of ours runs from its plain copies', () => {
    const hook = '--import=file:///app/server/plain/hook.mjs'
    for (const name of ['gatewayd', 'applyd', 'web']) assert.ok(commandOf(lab, name).includes(` ${hook} `), name)
  })

  test('applyd is told how to load rules only when someone said so', () => {
    const told = (nftWay: ProgramContext['nftWay']) =>
      listPrograms({ ...context(lab), nftWay })
        .find(({ name }) => name === 'applyd')
        ?.env().PORTCULLIS_NFT
    assert.deepEqual([told('program'), told(null)], ['program', undefined])
  })

  test('L6: no secret is part of a command line or an environment', () => {
    const secret = { ...context(lab), firstPassword: () => 'correct horse' }
    for (const { command, args, env } of listPrograms(secret)) {
      assert.ok(![command, ...args, ...Object.values(env())].join(' ').includes('horse'))
    }
  })

  test('only a well-formed word of readiness counts', () => {
    assert.equal(parseReady('{"event":"ready"}')?.event, 'ready')
    for (const line of ['', 'ready', 'null', '{"event":"other"}', '[]']) assert.equal(parseReady(line), null)
  })

  test('who holds gatewayd cannot write control characters to the terminal of root', () => {
    for (const text of ['\u001b]0;x\u0007', 'a\nb', '\u009b2J', '\u202e', 'x'.repeat(400)])
      for (const field of ['address', 'firstLogin', 'firstPassword'])
        assert.equal(parseReady(JSON.stringify({ event: 'ready', [field]: text })), null, JSON.stringify(text))
    assert.equal(parseReady('{"event":"ready","address":{"toString":1}}'), null)
    const address = 'https://[2001:db8::1]:8443/'
    assert.equal(parseReady(JSON.stringify({ event: 'ready', address }))?.address, address)
  })
})

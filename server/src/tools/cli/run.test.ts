import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Context } from './context.ts'
import { run } from './run.ts'

async function gw(...words: string[]) {
  const said = { out: '', note: '' }
  const context: Context = {
    env: { XDG_CONFIG_HOME: '/nonexistent' },
    workingDir: '/nonexistent',
    terminal: {
      isTerminal: false,
      columns: null,
      hasColour: false,
      out: (text) => {
        said.out += text
      },
      note: (text) => {
        said.note += text
      },
    },
    keyboard: {
      isTerminal: false,
      askSecret: () => assert.fail('no user can be prompted'),
      askLine: () => assert.fail('no user can be prompted'),
      askYes: () => assert.fail('no user can be prompted'),
      readAll: async () => '',
      readBytes: async () => Buffer.alloc(0),
    },
  }
  return { code: await run(words, context), ...said }
}

test('wrong usage has exit code 2 and says what is right', async () => {
  const cases: [string[], RegExp][] = [
    [['statsu'], /There is no command "statsu"\.\n {2}Did you mean gw status\?/],
    [['lab'], /gw lab needs a subcommand:\n {2}gw lab status/],
    [['get'], /Missing argument\. Usage: gw get <path>/],
    [['status', 'now'], /Unexpected argument "now"\. Usage: gw status/],
    [['status', '--all'], /Unknown option '--all'\. See: gw status --help/],
    [['revisions', '--limit'], /--limit/],
    [['revisions', 'show', 'x'], /The revision must be a whole number/],
    [['revert', '-1'], /-1/],
    [['get', 'firewall/settings'], /must begin with "\/"/],
    [['get', '/firewall/setings'], /Did you mean \/firewall\/settings\?/],
    [['put', '/firewall/settings'], /does not take PUT/],
    [['patch', '/firewall/settings', 'log_mode=some'], /log_mode: Must be one of: nothing, all, selected\./],
    [['patch', '/firewall/settings', 'log_actions=drop,drop'], /log_actions: Duplicate entry\./],
    [['patch', '/firewall/state', 'enabled=1'], /enabled: Must be true or false\./],
    [['patch', '/firewall/state', 'enable=true'], /Did you mean enabled\?/],
    [['patch', '/firewall/state', '--data', '{"enabled":1,"x":2}'], /x: Unknown field\./],
    [['patch', '/firewall/state', '--data', '{'], /--data is not valid JSON/],
    [['patch', '/firewall/state', '--data', '[]', 'enabled=true'], /that is an object/],
    [['patch', '/firewall/state', '--data', '@none.json'], /none\.json cannot be read/],
    [['patch', '/firewall/state', 'enabled=true', '--confirm', '0'], /--confirm must be a whole number from 1 to 3600/],
    [['patch', '/firewall/state', 'enabled=true', '--reason', 'a\nb'], /--reason must be one line/],
    [['post', '/web/admins/local', 'login=bob'], /password: This field is missing\./],
    [['post', '/config/confirm', '--dry-run'], /does not take --dry-run/],
    [['delete', '/web/auth/blocks', '--data', '{}'], /does not take a body/],
    [['get', '/config/revisions', 'limit=0'], /limit: Must be at least 1\./],
    [['get', '/config/revisions?limt=1'], /Did you mean limit\?/],
    [['completion', 'csh'], /bash, zsh, fish/],
    [['lab', 'exec', 'client'], /Missing command/],
    [['help', '/nothing/here/at/all'], /There is no endpoint/],
    [['login', '--address', 'http://x'], /The address must look like/],
    [[], /gw: the command line of the gateway/],
  ]
  for (const [words, expected] of cases) {
    const { code, note, out } = await gw(...words)
    assert.match(note, expected, words.join(' '))
    assert.equal(code, 2, words.join(' '))
    assert.equal(out, '')
  }
})

test('what needs a session says so with exit code 3', async () => {
  for (const words of [
    ['status'],
    ['whoami'],
    ['revisions'],
    ['revert', '1'],
    ['audit', 'verify'],
    ['sessions'],
    ['confirm'],
    ['put-back'],
    ['get', '/firewall/settings'],
    ['patch', '/firewall/state', 'enabled=true'],
  ]) {
    const { code, note } = await gw(...words)
    assert.equal(code, 3, words.join(' '))
    assert.match(note, /You are not signed in to https:\/\/127\.0\.0\.1:8443\.\n {2}Sign in with: gw login/)
  }
})

test('every command answers --help with its own text', async () => {
  const { code, out } = await gw('revisions', 'show', '--help')
  assert.equal(code, 0)
  assert.match(out, /^gw revisions show <number>\n/)
  assert.match((await gw('patch', '-h')).out, /^gw patch <path>/)
  assert.match((await gw('lab', '--help')).out, /gw lab status(?:.|\n)*gw lab exec/)
  assert.match((await gw('--help')).out, /gw: the command line/)
})

test('endpoints are listed by a word of their path or summary', async () => {
  const { code, out } = await gw('endpoints', 'zebra')
  assert.equal(code, 1)
  assert.equal(out, '')
  const found = await gw('endpoints', '/firewall/state')
  assert.match(found.out, /^METHOD +PATH +ACCESS +SUMMARY\nGET +\/firewall\/state +view +Show the state/)
})

test('an address that does not answer has exit code 4', async () => {
  // Port 1 is reserved and nothing listens there.
  const { code, note } = await gw('login', '--address', 'https://127.0.0.1:1')
  assert.equal(code, 4)
  assert.match(note, /https:\/\/127\.0\.0\.1:1 cannot be reached: connection refused/)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { complete } from './completion.ts'

const texts = (...words: string[]): string[] => complete(words).map(({ text }) => text)

test('the first word is a command', () => {
  assert.deepEqual(texts('re'), ['revisions', 'revert'])
  assert.ok(texts('').includes('lab'))
  assert.deepEqual(texts('lab', ''), ['status', 'exec'])
  assert.deepEqual(texts('nothing', ''), [])
})

test('a call offers the paths of its own method only', () => {
  assert.deepEqual(texts('patch', '/firewall/st'), ['/firewall/state'])
  assert.deepEqual(texts('get', '/firewall/st'), ['/firewall/state', '/firewall/status'])
  assert.deepEqual(texts('post', '/firewall/st'), [])
  assert.deepEqual(texts('post', '/config/revisions/5/'), ['/config/revisions/5/revert', '/config/revisions/5/undo'])
})

test('after the path come the fields that are not given yet', () => {
  assert.deepEqual(texts('patch', '/firewall/settings', 'log'), ['log_mode=', 'log_actions='])
  assert.deepEqual(texts('patch', '/firewall/settings', 'log_mode=all', 'log'), ['log_actions='])
  assert.deepEqual(texts('patch', '/firewall/settings', '--dry-run', '--confirm', '60', 'auto'), [
    'automatic_snat_enabled=',
  ])
})

test('fields offer their values: choices, true and false, entries of a list', () => {
  assert.deepEqual(texts('patch', '/firewall/settings', 'log_mode='), [
    'log_mode=nothing',
    'log_mode=all',
    'log_mode=selected',
  ])
  assert.deepEqual(texts('patch', '/firewall/state', 'enabled=t'), ['enabled=true'])
  assert.deepEqual(texts('patch', '/firewall/settings', 'log_actions=drop,mark_'), [
    'log_actions=drop,mark_log',
    'log_actions=drop,mark_not_log',
  ])
  assert.ok(!texts('patch', '/firewall/settings', 'log_actions=drop,').includes('log_actions=drop,drop'))
})

test('a call without a body offers query parameters, also behind --query', () => {
  assert.deepEqual(texts('get', '/config/revisions', ''), ['limit=', 'offset='])
  assert.deepEqual(texts('get', '/config/revisions', '--query', 'l'), ['limit='])
  assert.deepEqual(texts('get', '/web/admins/local', 'format_type='), ['format_type=JSON', 'format_type=CSV'])
})

test('a dash offers the options of the command', () => {
  assert.deepEqual(texts('revert', '5', '--'), [
    '--dry-run',
    '--cut-connections',
    '--confirm',
    '--reason',
    '--address',
    '--json',
    '--help',
  ])
  assert.deepEqual(texts('revisions', '--l'), ['--limit'])
})

test('nothing is offered for the free value of an option, nor behind a double dash', () => {
  assert.deepEqual(texts('patch', '/firewall/settings', '--reason', ''), [])
  assert.deepEqual(texts('lab', 'exec', 'client', '--', ''), [])
})

test('fixed words are offered at their places', () => {
  assert.deepEqual(texts('lab', 'exec', ''), ['client', 'gateway', 'internet'])
  assert.deepEqual(texts('completion', ''), ['bash', 'zsh', 'fish'])
})

test('help completes commands and paths', () => {
  assert.deepEqual(texts('help', 'aud'), ['audit'])
  assert.deepEqual(texts('help', 'audit', ''), ['verify'])
  assert.deepEqual(texts('help', '/journal/v'), ['/journal/verify'])
})

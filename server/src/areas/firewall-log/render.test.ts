import assert from 'node:assert/strict'
import { test } from 'node:test'
import { productionTables } from '../../applyd/production.ts'
import { addItem } from '../../core/model/list-edits.ts'
import { type Config, write } from '../../core/model/slots.ts'
import { faultsIn } from '../../engines/kit/forms.ts'
import { findUnit } from '../../engines/kit/tables.ts'
import { accessState, logRules, settings } from '../firewall/config.ts'
import type { LogRule } from '../firewall/contract-rules.ts'
import { describeReader } from '../firewall/logging.ts'
import { render } from './render.ts'

const withMode = (log_mode: 'nothing' | 'all', config: Config = {}): Config =>
  write(config, settings, { ...settings.initial, log_mode })
const withRule = (config: Config, fields: Partial<LogRule>): Config =>
  addItem(config, logRules, { id: 1, enabled: true, action: 'mark_log', ...fields } as LogRule)

test('the reader runs only while something is logged and marked', () => {
  const names = (config: Config) => render(config).map(({ kind, name }) => `${kind} ${name}`)
  const running = ['file ulogd.conf', 'unit firewall-log']
  assert.deepEqual(names({}), [])
  assert.deepEqual(names(withMode('all')), [])
  assert.deepEqual(names(withRule(withMode('nothing'), {})), [])
  assert.deepEqual(names(withRule(withMode('all'), { enabled: false })), [])
  assert.deepEqual(names(withRule(withMode('all'), { action: 'mark_not_log' })), [])
  assert.deepEqual(names(withRule(withMode('all'), {})), running)
})

test('access lists that log run it too', () => {
  const access = { ...accessState.initial, logging_enabled: true }
  assert.deepEqual(render(write({}, accessState, { ...access, enabled: false })), [])
  assert.equal(render(write({}, accessState, { ...access, enabled: true })).length, 2)
})

test('applyd accepts the file as it is rendered, and no other line', () => {
  const unit =
    findUnit(productionTables('/state', null, 'none'), 'firewall-log') ?? assert.fail('there is no such unit')
  const [file] = render(withRule(withMode('all'), {}))
  assert.ok(file?.kind === 'file')
  assert.deepEqual(faultsIn(unit, file.name, file.text), [])
  for (const line of ['file="/etc/passwd"', 'plugin="/tmp/x.so"', ' sync=1', 'stack=a:NFLOG,b:SYSLOG'])
    assert.equal(faultsIn(unit, file.name, `${file.text}${line}\n`).length, 1)
})

test('a missing program is named by its package', () => {
  const missing = 'prlimit: failed to execute /usr/sbin/ulogd: No such file or directory'
  assert.match(describeReader(`firewall-log ended with status 127. ${missing}`), /package ulogd2\)/)
  assert.match(describeReader("can't find requested plugin JSON"), /ulogd2-json/)
  assert.equal(describeReader('something else'), 'something else')
})

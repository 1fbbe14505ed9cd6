import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commands } from './command-list.ts'
import { allEndpoints } from './contract/contracts.ts'
import { showCommand, showOverview, showPath } from './help.ts'
import { widthOf } from './output/text.ts'

const piped = { columns: null, hasColour: false }

const firewallSettings = `GET /firewall/settings
Show the firewall settings.
Access: view (predefined_admin_write, predefined_admin_readonly, predefined_security_admin, predefined_firewall_admin, predefined_access_settings_admin)
Replies with: automatic_snat_enabled, log_mode, log_actions
Example: gw get /firewall/settings

PATCH /firewall/settings
Change the firewall settings. Any subset of the fields; what is not sent stays.
Access: firewall (predefined_admin_write, predefined_firewall_admin)
Fields:
  automatic_snat_enabled  true or false. Hide private source addresses behind the address of the external interface.
  log_mode                one of nothing, all, selected. Which firewall actions are logged.
  log_actions             list of accept, drop, dnat, snat, mark_log, mark_not_log; each at most once. What log_mode "selected" logs.
Example: gw patch /firewall/settings automatic_snat_enabled=true log_mode=nothing
`

test('the help of a path shows every method with fields, types, limits and an example', () => {
  assert.equal(showPath('/firewall/settings', piped), firewallSettings)
})

test('required fields, limits and the words about a form are shown', () => {
  const text = showPath('/web/admins/local', piped)
  assert.match(text, /password +text; 10 to 42 characters; required\. Never returned\./)
  assert.match(text, /login +text; 1 to 42 characters; required\. Must not be \. or/)
  assert.match(text, /limit|format_type +one of JSON, CSV/)
  const snmp = showPath('/monitor_backend/snmp/settings', piped)
  assert.match(snmp, /^ +version +one of 2, 3$/m)
  assert.match(snmp, /^ +hosts +list of text or one of "";/m)
})

test('a path that takes or gives a file says so, with an example to copy', () => {
  const upload = showPath('/backup/upload', piped)
  assert.match(upload, /^Takes a file of at most 256 MiB\.$/m)
  assert.match(upload, /^Example: gw post \/backup\/upload --file <path>$/m)
  const download = showPath('/backup/download/:backup_id', piped)
  assert.match(download, /^Replies with a file\.$/m)
  assert.match(download, /^Example: gw get \/backup\/download\/<backup_id> --output <path>$/m)
})

test('a path with its variable filled in finds the same help', () => {
  assert.equal(showPath('/config/revisions/17', piped), showPath('/config/revisions/:revision_id', piped))
})

/** Examples and paths are there to be copied, so they are never broken. */
const isWhole = /^ *(?:gw|Example:|GET|POST|PUT|PATCH|DELETE) /

test('every path of the contract and every command has a help text that fits a narrow terminal', () => {
  const screen = { columns: 60, hasColour: false }
  const texts = [
    showOverview(screen),
    ...commands.map((command) => showCommand(command, screen)),
    ...allEndpoints.map(({ path }) => showPath(path, screen)),
  ]
  for (const text of texts) {
    const tooWide = text.split('\n').filter((line) => widthOf(line) > 60 && !isWhole.test(line))
    assert.deepEqual(tooWide, [])
  }
})

test('the overview lists every command', () => {
  const text = showOverview(piped)
  for (const { words } of commands) assert.ok(text.includes(`gw ${words.join(' ')}`), words.join(' '))
})

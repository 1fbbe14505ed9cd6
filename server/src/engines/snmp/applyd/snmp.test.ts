// Which lines of snmpd.conf a plan may write. The program itself runs in sandbox.test.ts and in the namespace test.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { productionTables } from '../../../applyd/production.ts'
import { faultsIn } from '../../kit/forms.ts'
import { findFile, findUnit } from '../../kit/tables.ts'

const tables = productionTables('/state', { uid: 70_000, gid: 70_000 }, 'host', { passwd: '' })
const unit = findUnit(tables, 'snmp') ?? assert.fail('there is no unit snmp')
const faults = (text: string) => faultsIn(unit, 'snmpd.conf', text)

describe('the SNMP service', () => {
  it('may get hosts with a community, a user and texts', () => {
    const lines = [
      'com2sec trusted 192.0.2.0/24 "a \\"b\\" \\\\ c"',
      'group readers v2c trusted',
      'view all included .1',
      'access readers "" any noauth exact all none none',
      'createUser "me" MD5 "password" AES "key words"',
      'rouser "me" priv',
      'sysLocation Rack 5 "x" \\',
      'sysName шлюз',
      '',
    ]
    assert.deepEqual(faults(lines.join('\n')), [])
  })

  it('may get no program, module, path, address or right to write, and no fault shows a secret', () => {
    const lines = [
      'extend x /bin/sh',
      'exec x /bin/sh',
      'pass .1 /bin/sh',
      'dlmod x /tmp/x.so',
      'perl do "x"',
      'master agentx',
      'agentaddress udp:1.2.3.4:9',
      'rwcommunity secret',
      'rwuser "me"',
      'trapsink 192.0.2.1',
      'includeFile x',
      '[snmp] persistentDir /etc',
      'createUser -e 0x1 me MD5 a',
      'createUser "-e" MD5 "password"',
      'sysLocation #',
      'com2sec trusted default "secret"',
      'com2sec trusted 192.0.2.0/24 "a" "b"',
      'rouser "a"b" priv',
      'view all included .1 ',
      'access readers "" any noauth exact all all none',
    ]
    for (const line of lines) assert.deepEqual(faults(line), ['Line 1 is not allowed in snmpd.conf.'], line)
  })

  it('runs as an account of its own from the start, and reads its file again without a restart', () => {
    assert.notEqual(unit.user, undefined)
    assert.deepEqual(unit.capabilities, ['net_bind_service'])
    assert.deepEqual(unit.reload, { signal: 'SIGHUP' })
    // The state that it kept is read before the file, so that a new password counts.
    assert.equal(unit.environment?.SNMPCONFPATH, '/state/snmp/kept:/state/snmp')
    const file = findFile(tables, 'snmpd.conf')
    assert.equal(file?.mode, 0o640)
    assert.equal(file?.gid, unit.user?.gid)
  })
})

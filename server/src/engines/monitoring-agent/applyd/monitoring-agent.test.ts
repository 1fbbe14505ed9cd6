// Which lines of the settings of the monitoring agent a plan may write.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { productionTables } from '../../../applyd/production.ts'
import { faultsIn } from '../../kit/forms.ts'
import { findFile, findUnit } from '../../kit/tables.ts'

const tables = productionTables('/state', { uid: 70_000, gid: 70_000 }, 'host', { passwd: '' })
const unit = findUnit(tables, 'monitoring-agent') ?? assert.fail('there is no unit monitoring-agent')
const faults = (text: string) => faultsIn(unit, 'zabbix-agent.conf', text)

describe('the monitoring agent', () => {
  it('may get servers, a port and a name', () => {
    const lines = ['StartAgents=3', 'ListenPort=10051', 'Server=192.0.2.1,a.example', 'ServerActive=a.example:10051']
    assert.deepEqual(faults([...lines, 'Hostname=my gateway', ''].join('\n')), [])
  })

  it('may get no command, module, path, alias or network of servers', () => {
    const lines = [
      'UserParameter=x,id',
      'Include=/etc/passwd',
      'LoadModule=x.so',
      'LoadModulePath=/tmp',
      'AllowKey=system.run[*]',
      'EnableRemoteCommands=1',
      'PidFile=/etc/x',
      'LogFile=/etc/x',
      'Alias=a:b',
      'AllowRoot=1',
      'User=root',
      'Server=0.0.0.0/0',
      'Server=',
      'ListenPort=22',
      'HostnameItem=system.run[id]',
      'TLSPSKFile=/etc/shadow',
    ]
    for (const line of lines) assert.equal(faults(line).length, 1, line)
  })

  it('never runs commands of its servers, and has no rights', () => {
    assert.match(findFile(tables, 'zabbix-agent.conf')?.ending ?? '', /^DenyKey=system\.run\[\*\]$/m)
    assert.deepEqual(unit.capabilities, [])
    assert.notEqual(unit.user, undefined)
  })
})

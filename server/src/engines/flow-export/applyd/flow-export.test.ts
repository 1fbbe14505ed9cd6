import assert from 'node:assert/strict'
import { test } from 'node:test'
import { productionTables } from '../../../applyd/production.ts'
import { findFile, findUnit } from '../../kit/tables.ts'
import { type FlowFile, parseFlowFile, printFlowFile } from '../settings-file.ts'

const service = { uid: 70_000, gid: 70_000 }
const tables = productionTables('/state', service, 'lab', { block: 70_000 })
const unit = findUnit(tables, 'flow-export') ?? assert.fail()
const account = unit.user ?? assert.fail()

const file: FlowFile = {
  version: 9,
  address: '192.0.2.9',
  port: 2055,
  activeSeconds: 60,
  templatePackets: 20,
  templateSeconds: 1800,
  own: ['10.0.0.1'],
  interfaces: [{ index: 1, networks: ['10.0.0.1/24'], isExternal: false, isExported: true }],
}

test('the flow exporter has an account and one right, and traffic does not need it', () => {
  assert.notEqual(account.uid, service.uid)
  assert.deepEqual(unit.capabilities, ['net_admin'])
  assert.equal(unit.isOptional, true)
})

test('it gets the place of its report from applyd, and keeps its books when settings change', () => {
  assert.deepEqual(unit.args.slice(-2), ['{flow-export.json}', '/state/run/flow-export/report.json'])
  assert.deepEqual(findFile(tables, 'flow-export.json'), {
    mode: 0o640,
    gid: account.gid,
    path: '/state/flow-export/flow-export.json',
  })
  assert.deepEqual(unit.reload, { signal: 'SIGHUP' })
})

test('its file is nothing but addresses and numbers', () => {
  assert.deepEqual(parseFlowFile(printFlowFile(file)), file)
  const [place = assert.fail()] = file.interfaces
  const refused: readonly unknown[] = [
    null,
    [],
    { ...file, path: '/etc/passwd' },
    { ...file, version: 8 },
    { ...file, version: 5 },
    { ...file, address: 'collector.example' },
    { ...file, address: '0.0.0.0' },
    { ...file, port: 0 },
    { ...file, port: '2055' },
    { ...file, activeSeconds: 0.5 },
    { ...file, templatePackets: null },
    { ...file, own: ['::1'] },
    { ...file, own: Array.from({ length: 5000 }, () => '10.0.0.1') },
    { ...file, interfaces: [{ ...place, networks: ['10.0.0.0/24; x'] }] },
    { ...file, interfaces: [{ ...place, index: 65_536 }] },
    { ...file, interfaces: [{ ...place, name: 'lan0' }] },
  ]
  for (const one of refused) assert.equal(typeof parseFlowFile(JSON.stringify(one)), 'string', JSON.stringify(one))
  assert.equal(typeof parseFlowFile('{'), 'string')
})

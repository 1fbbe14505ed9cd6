import assert from 'node:assert/strict'
import { test } from 'node:test'
import { productionTables } from '../../../applyd/production.ts'
import { findUnit } from '../../kit/tables.ts'

const service = { uid: 70_000, gid: 70_000 }
const tables = productionTables('/state', service, 'lab', { block: 70_000 })
const unit = findUnit(tables, 'traffic-classifier') ?? assert.fail()

test('the classifier has an account and one right, and traffic does not need it', () => {
  assert.notEqual((unit.user ?? assert.fail()).uid, service.uid)
  assert.deepEqual(unit.capabilities, ['net_admin'])
  assert.equal(unit.isOptional, true)
})

test('a plan can only switch it on: it has no file, and applyd says where it writes', () => {
  assert.deepEqual(unit.files, {})
  assert.deepEqual(unit.args.slice(-2), [
    '/state/run/traffic-classifier/connections.jsonl',
    '/state/run/traffic-classifier/report.json',
  ])
})

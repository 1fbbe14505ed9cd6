import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endpointsByArea } from '../../../../test/contract/contract.ts'
import { nameOf } from '../../../core/contract/endpoint.ts'
import { type AreaEndpoints, isStatusEndpoint } from '../../../core/contract/openapi.ts'
import { allEndpoints, contracts } from './contracts.ts'

const namesByArea = (list: readonly AreaEndpoints[]) =>
  Object.fromEntries(list.map(({ name, endpoints }) => [name, endpoints.map(nameOf).sort()]))

test('gw knows exactly the endpoints the server answers, area by area', () => {
  assert.deepEqual(
    namesByArea(contracts),
    namesByArea(endpointsByArea.filter(({ name }) => name !== 'reference')),
    'an area or endpoint is missing on one side: add the area to cli/contracts.ts, or the route to the area',
  )
})

test('the status endpoints are found by the shape of their reply', () => {
  const paths = allEndpoints.filter(isStatusEndpoint).map((endpoint) => endpoint.path)
  assert.ok(paths.includes('/config/status'))
  assert.ok(paths.includes('/firewall/status'))
  assert.ok(!paths.includes('/monitor_backend/admin_sessions'))
})

// The bodies that the OpenAPI document publishes are what a reader tries first: a gateway accepts them.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { nameOf } from '../../src/core/contract/endpoint.ts'
import { operationId } from '../../src/core/contract/openapi.ts'
import { createTestGateway } from '../support/test-gateway.ts'
import { endpoints } from './contract.ts'
import { openApiText } from './openapi-text.ts'

interface Body {
  readonly $ref?: string
  readonly content?: Readonly<Record<string, { readonly example: unknown }>>
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { operationId?: string; requestBody?: Body }>>>>
  readonly components: { readonly requestBodies: Readonly<Record<string, Body>> }
}

/** These name an object that a new gateway does not have, or have fields that exclude each other. The list only shrinks. */
const refused = [
  'POST /network/connections',
  'POST /network/tunnels',
  'POST /network/vce_conns',
  'POST /network/span',
  'PUT /network/setup',
  'PATCH /firewall/hw_rules_src_ip',
  'PATCH /firewall/hw_rules_dst_ip',
  'PATCH /acl/acl-order',
  'POST /ips/bypass',
  'POST /system_management/change_sys_root',
  'POST /ips/profiles-create-with-rules',
  'PATCH /ips/profiles/rules/move',
  'PATCH /reverse_proxy_backend/waf/profiles/rules/move',
  'POST /ad_backend/group_settings',
  'POST /ald_backend/group_settings',
  'POST /dhcp_server/settings',
  'POST /mail/settings/general/ext_hdd',
  'POST /proxy_backend/exclusions',
  'PUT /proxy_backend/certificate',
  'POST /content-filter/explain',
]

it('a gateway accepts every published body of a call without an id in its path', async () => {
  const { paths, components } = JSON.parse(openApiText()) as Document
  const operations = Object.values(paths).flatMap((item) => Object.values(item))
  const gateway = await createTestGateway()
  const admin = await gateway.client('predefined_admin_write')
  const found: string[] = []
  for (const endpoint of endpoints) {
    // A sign-in has a test of its own.
    if (!endpoint.body || endpoint.params.length > 0 || endpoint.access === 'public') continue
    if (endpoint.method === 'DELETE') continue
    const operation = operations.find((one) => one.operationId === operationId(endpoint))
    assert.ok(operation?.requestBody, nameOf(endpoint))
    const { $ref, content } = operation.requestBody
    const body = $ref === undefined ? content : components.requestBodies[$ref.split('/').at(-1) ?? '']?.content
    const { status } = await admin(endpoint.method, endpoint.path, body?.['application/json']?.example)
    if (status !== 200) found.push(nameOf(endpoint))
  }
  await gateway.close()
  assert.deepEqual(found.sort(), refused.sort())
})

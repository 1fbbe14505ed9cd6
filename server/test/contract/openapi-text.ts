// The OpenAPI document as the product serves it; the golden copy lies in docs/openapi.json.

import { endpointsOf } from '../../src/app.ts'
import { areas } from '../../src/areas/index.ts'
import { openApi } from '../../src/contract/openapi.ts'
import { printJson } from '../../src/contract/print-json.ts'
import { statusOf } from '../../src/http/errors.ts'
import { referenceEndpoints } from '../../src/http/reference.ts'
import { version } from '../../src/version.ts'

export function openApiText(): string {
  const all = [...endpointsOf(areas), { name: 'reference', endpoints: Object.values(referenceEndpoints) }]
  return printJson(openApi(all, version, statusOf))
}

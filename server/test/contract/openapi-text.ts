// The OpenAPI document as the product serves it; the golden copy lies in docs/openapi.json.

import { openApi } from '../../src/core/contract/openapi.ts'
import { printJson } from '../../src/core/contract/print-json.ts'
import { statusOf } from '../../src/gatewayd/http/errors.ts'
import { version } from '../../src/shared/version.ts'
import { endpointsByArea } from './contract.ts'

export function openApiText(): string {
  return printJson(openApi(endpointsByArea, version, statusOf))
}

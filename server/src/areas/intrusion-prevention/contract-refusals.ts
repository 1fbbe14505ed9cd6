// What was refused of an upload of signatures: in pages, or all of it as CSV.

import { oneOf, strictObject } from '../../core/contract/fields.ts'
import { Type } from '../../core/contract/schema.ts'

export const RefusedRule = strictObject({
  file: Type.String({ description: 'Of the archive.' }),
  line: Type.Integer(),
  sid: Type.Integer({ description: '0: not known.' }),
  reason: Type.String(),
})

/** Of one page. */
export const maxRefusalsShown = 1_000

export const refusalTable = {
  query: strictObject({
    offset: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000 })),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: maxRefusalsShown, description: '100 when absent. CSV has all.' }),
    ),
    format_type: Type.Optional(oneOf(['JSON', 'CSV'])),
  }),
  reply: strictObject({
    total: Type.Integer(),
    refusals: Type.Array(RefusedRule),
  }),
  alsoReplies: ['text/csv'],
}

// The audit trail: reads and checks what core/audit/audit.ts keeps.

import { defineArea, handle } from '../../core/area/handle.ts'
import { rawReply } from '../../core/area/raw-reply.ts'
import { createSlices } from '../../core/workers/slices.ts'
import { auditStatus, listRecords, verifyAudit } from './contract.ts'
import { auditUsageService } from './service.ts'
import { auditItems } from './status.ts'

const defaultPage = 100

/** As the client takes them, and others get their turn in between. */
async function* inSlices(pieces: Iterable<string>): AsyncGenerator<string> {
  const slices = createSlices()
  for (const piece of pieces) {
    yield piece
    await slices()
  }
}

export const audit = defineArea({
  name: 'audit',
  slots: [],
  routes: [
    handle(listRecords, ({ query, services }) => {
      const { limit = defaultPage, offset = 0, ...search } = query
      const asked = Object.keys(search).length > 0 ? search : null
      return rawReply('application/json; charset=utf-8', inSlices(services.audit.listJson(limit, offset, asked)))
    }),
    handle(auditStatus, ({ services }) => auditItems(services.of(auditUsageService)?.())),
    handle(verifyAudit, async ({ services }) => {
      // Without applyd the chain itself can still be checked; the reply shows that no checkpoint was compared.
      const checkpoints = await services.applier.checkpoints().catch(() => null)
      const fault = await services.audit.verify(checkpoints ?? [])
      return {
        intact: fault === null,
        records: services.audit.head.sequence,
        checkpoints: checkpoints?.length ?? null,
        first_bad: fault,
      }
    }),
  ],
})

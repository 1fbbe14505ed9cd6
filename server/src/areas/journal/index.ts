// The journal area: reads and checks what runtime/journal.ts keeps.

import { defineArea, handle, rawReply } from '../../http/handle.ts'
import { listRecords, verifyJournal } from './contract.ts'

const defaultPage = 100

export const journal = defineArea({
  name: 'journal',
  slots: [],
  routes: [
    handle(listRecords, ({ query, services }) =>
      rawReply(
        'application/json; charset=utf-8',
        services.journal.listJson(query.limit ?? defaultPage, query.offset ?? 0),
      ),
    ),
    handle(verifyJournal, async ({ services }) => {
      // Without applyd the chain itself can still be walked; the answer says that nothing signed was compared.
      const checkpoints = await services.applier.checkpoints().catch(() => null)
      const fault = await services.journal.verify(checkpoints ?? [])
      return {
        intact: fault === null,
        records: services.journal.head.sequence,
        checkpoints: checkpoints?.length ?? null,
        first_bad: fault,
      }
    }),
  ],
})

// The journal area: reads and checks what runtime/journal.ts keeps.

import { defineArea, handle } from '../../http/handle.ts'
import { listRecords, verifyJournal } from './contract.ts'

const defaultPage = 100

export const journal = defineArea({
  name: 'journal',
  slots: [],
  routes: [
    handle(listRecords, ({ query, services }) =>
      services.journal
        .list(query.limit ?? defaultPage, query.offset ?? 0)
        .map((record) => ({ ...record, changes: [...record.changes] })),
    ),
    handle(verifyJournal, async ({ services }) => {
      const checkpoints = await services.applier.checkpoints()
      const fault = services.journal.verify(checkpoints)
      return {
        intact: fault === null,
        records: services.journal.head.sequence,
        checkpoints: checkpoints.length,
        first_bad: fault,
      }
    }),
  ],
})

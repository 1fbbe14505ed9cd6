// What was refused of an upload of signatures, as the query asks for it.

import type { RawReply } from '../../core/area/raw-reply.ts'
import { csvOfPages } from '../../core/area/routes.ts'
import type { Offered } from '../../core/area/service.ts'
import { maxRefusalsShown } from './contract-refusals.ts'
import type { signatureIntakeService } from './service.ts'

type ReadPage = Offered<typeof signatureIntakeService>['fileRefusals']['read']

interface Asked {
  readonly offset?: number
  readonly limit?: number
  readonly format_type?: 'JSON' | 'CSV'
}

export async function refusalReply({ offset = 0, limit = 100, format_type }: Asked, read: ReadPage) {
  if (format_type === 'CSV') return csv(read, offset)
  const { total, refusals } = await read(offset, limit)
  return { total, refusals: [...refusals] }
}

/** The first page is read before anything is sent, so that a fault is still an answer. */
async function csv(read: ReadPage, offset: number): Promise<RawReply> {
  const first = await read(offset, maxRefusalsShown)
  async function* pages() {
    let { refusals } = first
    for (let at = offset; refusals.length > 0; { refusals } = await read(at, maxRefusalsShown)) {
      at += refusals.length
      yield refusals
    }
  }
  return csvOfPages(['file', 'line', 'sid', 'reason'], pages())
}

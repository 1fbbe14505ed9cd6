// Endpoints of archives of rules.

import { handle, type Route } from '../../core/area/handle.ts'
import { sentencesIn } from '../../shared/said.ts'
import { ruleArchives, signatureChecks } from './contract.ts'
import { refusalReply } from './routes-refusals.ts'
import { signatureIntakeService, signaturesService } from './service.ts'

export const archiveRoutes: readonly Route[] = [
  handle(ruleArchives.list, ({ services }) =>
    services
      .of(signatureIntakeService)
      .archives.list()
      .map(({ id, name, state, message, receivedAt, isChecked, report }) => ({
        id,
        name,
        state,
        message,
        received_at: receivedAt,
        rules: report.rules,
        files: report.files,
        disabled: report.disabled,
        checked: isChecked,
        failed_count: report.failedCount,
        failed: [...report.failed],
        notes: [...report.notes],
        sentences: sentencesIn([message, ...report.notes, ...report.failed.map(({ reason }) => reason)]),
      })),
  ),
  handle(ruleArchives.create, async ({ query, bodyStream, services, requireAuthority }) => ({
    id: await services.of(signatureIntakeService).archives.receive(query.name ?? 'rules', bodyStream, requireAuthority),
  })),
  handle(ruleArchives.refusals, ({ params, query, services }) =>
    refusalReply(query, (offset, limit) =>
      services.of(signatureIntakeService).archives.refusals(params.archive_id, offset, limit),
    ),
  ),
  handle(signatureChecks, ({ services }) =>
    services
      .of(signatureIntakeService)
      .running()
      .map(({ kind, id, name, startedAt, total, done, refused }) => ({
        kind,
        archive_id: id,
        name,
        started_at: startedAt,
        total,
        done,
        refused,
      })),
  ),
  handle(ruleArchives.remove, async ({ params, services, requireAuthority }) => {
    requireAuthority()
    services.of(signatureIntakeService).archives.remove(params.archive_id)
    await services.of(signaturesService)?.refresh()
  }),
]

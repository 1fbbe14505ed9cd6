// Endpoints of archives of rules.

import { handle, type Route } from '../../core/area/handle.ts'
import { ruleArchives, signatureChecks } from './contract.ts'
import { refusalReply } from './routes-refusals.ts'

export const archiveRoutes: readonly Route[] = [
  handle(ruleArchives.list, ({ services }) =>
    services.signatureIntake.archives.list().map(({ id, name, state, message, receivedAt, isChecked, report }) => ({
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
    })),
  ),
  handle(ruleArchives.create, async ({ query, bodyStream, services, requireAuthority }) => ({
    id: await services.signatureIntake.archives.receive(query.name ?? 'rules', bodyStream, requireAuthority),
  })),
  handle(ruleArchives.refusals, ({ params, query, services }) =>
    refusalReply(query, (offset, limit) =>
      services.signatureIntake.archives.refusals(params.archive_id, offset, limit),
    ),
  ),
  handle(signatureChecks, ({ services }) =>
    services.signatureIntake.running().map(({ kind, id, name, startedAt, total, done, refused }) => ({
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
    services.signatureIntake.archives.remove(params.archive_id)
    await services.signatures?.refresh()
  }),
]

// Endpoints of the rule tests.

import { randomUUID } from 'node:crypto'
import { handle, type Route } from '../../http/handle.ts'
import { listRoutes, settingsRoutes } from '../../http/routes.ts'
import type { ListDeclaration } from '../../model/declarations.ts'
import { removeItem } from '../../model/list-edits.ts'
import { updateIn } from '../../model/lists.ts'
import { read } from '../../model/slots.ts'
import * as stored from './config.ts'
import { type Check, checkResults, checks, checksSettings, startChecks } from './contract-checks.ts'
import { copyCheck } from './edits.ts'
import { lastRun, localStamp, startRun } from './jobs.ts'
import { interfaceProblems } from './verify-rules.ts'

const slot = stored.checks
const list: ListDeclaration<Check> = {
  slot,
  noun: 'rule test',
  ids: { kind: 'uuid' },
  defaults: { enabled: true, comment: '' },
  problemsOf: (config, check) => interfaceProblems(config, 'incoming_interface', check.incoming_interface),
}
const { update, ...others } = checks

export const checkRoutes: readonly Route[] = [
  ...listRoutes(others, list),
  handle(
    update,
    ({ params, body, change }) => {
      const id = params.check_id ?? ''
      const patch = body as object | undefined
      return change((config) =>
        patch === undefined ? removeItem(config, slot, id, list.noun) : updateIn(config, list, id, patch),
      )
    },
    { slot },
  ),
  handle(
    checks.copy,
    async ({ params, change }) => {
      const id = randomUUID()
      await change((config) => copyCheck(config, params.check_id ?? '', id))
      return { id }
    },
    { slot },
  ),
  handle(startChecks, ({ services }) => startRun(services)),
  handle(checkResults, ({ config, services }) => {
    const { isInProgress, startedAt, results } = lastRun(services)
    return {
      block_status: read(config, stored.block).blocked,
      in_progress: isInProgress,
      check_datetime: startedAt ? localStamp(startedAt, services.facts().timeZone) : 0,
      data: results,
    }
  }),
  ...settingsRoutes(checksSettings, stored.checksSettings),
]

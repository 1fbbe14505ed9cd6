// Endpoints of the rule tests.

import { randomUUID } from 'node:crypto'
import { handle, type Route } from '../../core/area/handle.ts'
import { listRoutes, settingsRoutes } from '../../core/area/routes.ts'
import { removeFrom, updateIn } from '../../core/model/lists.ts'
import { read } from '../../core/model/slots.ts'
import * as stored from './config.ts'
import { checkResults, checks, checksSettings, startChecks } from './contract-checks.ts'
import { copyCheck } from './edits.ts'
import { lastRun, localStamp, startRun } from './jobs.ts'
import { checkList } from './lists.ts'

const { slot } = checkList
const { update, ...others } = checks

export const checkRoutes: readonly Route[] = [
  ...listRoutes(others, checkList),
  handle(
    update,
    ({ params: { check_id: id }, body, change }) => {
      const patch = body as object | undefined
      return change((config, tools) =>
        patch === undefined
          ? removeFrom(config, checkList, id, tools.referencesTo)
          : updateIn(config, checkList, id, patch),
      )
    },
    { slot },
  ),
  handle(
    checks.copy,
    async ({ params, change }) => {
      const id = randomUUID()
      await change((config) => copyCheck(config, params.check_id, id))
      return { id }
    },
    { slot },
  ),
  handle(startChecks, ({ services, requireAuthority }) => {
    requireAuthority()
    return startRun(services)
  }),
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

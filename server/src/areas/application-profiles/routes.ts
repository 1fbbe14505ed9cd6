// Endpoints of the application control profiles.

import { randomUUID } from 'node:crypto'
import { handle, type Route } from '../../core/area/handle.ts'
import { listRoutes } from '../../core/area/routes.ts'
import { addTo, requireIn } from '../../core/model/lists.ts'
import { applications } from './applications.ts'
import { profiles } from './config.ts'
import { applicationProfiles as contract, knownApplications } from './contract.ts'
import { profileList } from './lists.ts'

const { create, ...others } = contract

export const routes: readonly Route[] = [
  ...listRoutes(others, profileList, { copying: {} }),
  handle(
    create,
    ({ body, change }) => {
      const id = randomUUID()
      return change((config) => {
        const next = addTo(config, profileList, id, body)
        const added = [requireIn(next, profileList, id)]
        return [next, added] as const
      })
    },
    { slot: profiles },
  ),
  handle(knownApplications.list, () =>
    applications.map(({ id, name, group, patterns, how }) => ({
      id,
      name,
      group,
      recognised: patterns.length > 0,
      how: [...how],
    })),
  ),
]

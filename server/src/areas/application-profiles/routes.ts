// Endpoints of the application control profiles.

import { randomUUID } from 'node:crypto'
import { handle, type Route } from '../../http/handle.ts'
import { listRoutes } from '../../http/routes.ts'
import { addTo, requireIn } from '../../model/lists.ts'
import { profiles } from './config.ts'
import { applicationProfiles as contract } from './contract.ts'
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
]

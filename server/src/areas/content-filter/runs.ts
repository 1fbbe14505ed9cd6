// How what the content filter offers is made.

import { join } from 'node:path'
import { type Run, roomForLists, run } from '../../core/area/run.ts'
import { webFilterSocket } from '../../domain/web-filter/protocol.ts'
import { userSessionsService } from '../authorization/service.ts'
import { listFolders } from './list-folders.ts'
import { filterUser, placesOfUsers } from './public.ts'
import { CategoryDatabase } from './runs/categories.ts'
import { WebFilterSocket } from './runs/socket.ts'
import { webCategoriesService, webFilterService } from './service.ts'
import { starterLists } from './starter.ts'

export const runs: readonly Run[] = [
  run(webCategoriesService, (host) => {
    const { services, settings, log } = host
    const categories = new CategoryDatabase({
      // Where nothing is applied, applyd makes no folders.
      folder: join(settings.isOnMachine && settings.isApplied ? settings.stateDir : settings.folder, 'web-filter'),
      folders: listFolders,
      starter: starterLists,
      now: services.clock.now,
      room: () => roomForLists(host),
      onFault: (error) => log('warning', 'the category index was not built', { error }),
    })
    return { offers: categories, stop: () => categories.close() }
  }),
  run(webFilterService, ({ services, engine, settings, log }) => {
    const userSessions = services.of(userSessionsService)
    const socket = new WebFilterSocket({
      places: () => placesOfUsers(engine.config, userSessions.list()),
      userOf: (id) => filterUser(engine.config, id),
      log,
    })
    userSessions.onEvents(() => void socket.follow())
    engine.onChanged(() => void socket.follow())
    services.of(webCategoriesService).onNew((file) => socket.announceCategories(file))
    return {
      offers: socket,
      start: () => socket.serve(join(settings.stateDir, webFilterSocket)),
      stop: () => socket.close(),
    }
  }),
]

// The question what happens to a web request: whether the proxy takes it, and what the rules of the content filter decide.

import { handle, type Route } from '../../core/area/handle.ts'
import { type Problem, refuse } from '../../core/contract/error.ts'
import { type Config, read } from '../../core/model/slots.ts'
import { inSlices } from '../../core/workers/slices.ts'
import type { CategoryLookup } from '../../domain/web-filter/model.ts'
import { say } from '../../shared/said.ts'
import { userSessionsService } from '../authorization/service.ts'
import { explainRequest } from '../content-filter/contract.ts'
import {
  explainWeb,
  findClient,
  findUserCategories,
  policyAt,
  readUrl,
  storedCategories,
} from '../content-filter/public.ts'
import { webCategoriesService } from '../content-filter/service.ts'
import { settings } from './config.ts'
import { isTakenBy } from './taken.ts'

export const explainRoutes: readonly Route[] = [
  handle(explainRequest, async ({ body, config, services }) => {
    const url = readUrl(body.url)
    const { source, user, problems } = findClient(config, services.of(userSessionsService), body)
    const urlProblem: Problem = {
      field: 'url',
      message: say`Must be a URL such as https://example.com/page, or a name.`,
    }
    refuse(url === null ? [...problems, urlProblem] : problems)
    if (url === null) throw new Error('It was refused.')
    const facts = services.facts()
    const now = Math.floor(services.clock.now().getTime() / 1000)
    const policy = policyAt(config, facts, read(config, settings).on_failure, body.time ?? now)
    const own = await ownCategories(config, url)
    const categories: CategoryLookup = {
      find: (request) => [...own(request.path), ...services.of(webCategoriesService).lookup.find(request)],
    }
    const interception = isTakenBy(config, facts, {
      source,
      members: user?.members ?? [],
      host: url.host,
      port: url.port,
    })
    return explainWeb({ deciding: { policy, categories }, asked: body, url, source, user, now, interception })
  }),
]

/** The user categories of the name and of the page, found in slices: there may be half a million entries. */
async function ownCategories(config: Config, url: Parameters<typeof findUserCategories>[1]) {
  const all = storedCategories(config)
  const ofName = await inSlices(findUserCategories(all, { ...url, path: null }))
  const ofPage = await inSlices(findUserCategories(all, url))
  return (path: string | null) => (path === null ? ofName : ofPage)
}

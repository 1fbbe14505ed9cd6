// The routes: one for each page of the registry with the open item as the rest of its path. Search is plain text, so that an
// address stays readable and a value is never guessed to be a number.

import {
  createRootRoute,
  createRoute,
  createRouter,
  type RouterHistory,
  useLocation,
  useRouter,
} from '@tanstack/react-router'
import { type ReactNode, useCallback, useMemo } from 'react'
import { pages } from '../pages/index.ts'
import { NavigateContext, PlaceContext, readSearch, root, searchText } from '../place.ts'
import { locate } from './locate.ts'
import { NotFound } from './not-found.tsx'
import { PageView } from './page-view.tsx'
import { Shell } from './shell.tsx'

const plain = (search: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(Object.entries(search).map(([name, value]) => [name, String(value)]))

const rootRoute = createRootRoute({
  component: () => (
    <WithPlace>
      <Shell />
    </WithPlace>
  ),
  notFoundComponent: NotFound,
})

const routes = pages.map((entry) =>
  createRoute({
    getParentRoute: () => rootRoute,
    path: `${entry.path}/$`,
    component: () => <PageView entry={entry} />,
  }),
)

const indexRoute = createRoute({ getParentRoute: () => rootRoute, path: '/', component: NotFound })

export const makeRouter = (history?: RouterHistory) =>
  createRouter({
    routeTree: rootRoute.addChildren([indexRoute, ...routes]),
    basepath: root,
    defaultPreload: false,
    parseSearch: (text) => readSearch(text),
    stringifySearch: (search) => searchText(plain(search)),
    ...(history ? { history } : {}),
  })

/** Gives pages the address in their own terms. */
function WithPlace({ children }: { readonly children: ReactNode }): ReactNode {
  const { pathname, searchStr } = useLocation()
  const router = useRouter()
  const place = useMemo(() => {
    const { entry: _, ...rest } = locate(pages, pathname, searchStr)
    return rest
  }, [pathname, searchStr])
  const navigate = useCallback(
    (href: string, { replace }: { readonly replace: boolean }) => {
      if (replace) router.history.replace(href)
      else router.history.push(href)
    },
    [router],
  )
  return (
    <PlaceContext.Provider value={place}>
      <NavigateContext.Provider value={navigate}>{children}</NavigateContext.Provider>
    </PlaceContext.Provider>
  )
}

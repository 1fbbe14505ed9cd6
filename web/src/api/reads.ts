// Reads of the interface for pages: kept, shared, refreshed by themselves while the tab is looked at.

import type { Endpoint, ReplyOf } from '@gateway/server/contract'
import { QueryClient, type UseQueryResult, useQuery } from '@tanstack/react-query'
import { addressOf, type CallOptions, call, type Reply } from './call.ts'
import type { Failure } from './failure.ts'

export const queryClient = new QueryClient({
  defaultOptions: { queries: { retry: false, staleTime: 2_000, refetchOnWindowFocus: true } },
})

export interface ReadOptions<E> extends Pick<CallOptions<E>, 'params' | 'query'> {
  /** Read again after so many milliseconds, while the tab is looked at; the pause doubles after a failure. */
  readonly everyMs?: number
  readonly isEnabled?: boolean
}

const longestPauseMs = 60_000

/** What is kept under one address. The first part is the path of the endpoint, so that `readAgain` finds all of a list. */
export const keyOf = (endpoint: Endpoint, options: CallOptions = {}): readonly unknown[] => [
  endpoint.path,
  addressOf(endpoint, options),
]

export function useRead<E extends Endpoint>(
  endpoint: E,
  options: ReadOptions<E> = {},
): UseQueryResult<Reply<ReplyOf<E>>, Failure> {
  const { everyMs, isEnabled = true, ...callOptions } = options
  return useQuery<Reply<ReplyOf<E>>, Failure>({
    queryKey: keyOf(endpoint, callOptions as CallOptions),
    queryFn: ({ signal }) => call(endpoint, { ...(callOptions as CallOptions<E>), signal, isBackground: true }),
    enabled: isEnabled,
    ...(everyMs === undefined
      ? {}
      : {
          refetchInterval: ({ state }: { state: { fetchFailureCount: number } }) =>
            Math.min(everyMs * 2 ** state.fetchFailureCount, Math.max(longestPauseMs, everyMs)),
        }),
  })
}

/** After a change: what was read of these endpoints is read again where it is on screen. */
export const readAgain = (...endpoints: readonly Endpoint[]): Promise<unknown> =>
  Promise.all(endpoints.map((endpoint) => queryClient.invalidateQueries({ queryKey: [endpoint.path] })))

export const readEverythingAgain = (): Promise<void> => queryClient.invalidateQueries()

// Calls that need a fresh sign-in: the password is asked for before they are sent, so that no change is refused half way.

import { msg } from '../words.ts'
import { beforeCalls } from './call.ts'
import { Failure } from './failure.ts'
import { isFresh, readSessionTime } from './session.ts'
import { createStore } from './store.ts'

interface Asked {
  readonly resolve: () => void
  readonly reject: (failure: Failure) => void
}

/** The shell shows a password dialog while this is set. */
export const askedPassword = createStore<Asked | null>(null)

/** Resolves when the session is fresh enough; rejects when the person gives up. */
export async function needFreshSignIn(): Promise<void> {
  if (isFresh()) return
  await readSessionTime({ isStaying: true })
  if (isFresh()) return
  await new Promise<void>((resolve, reject) => askedPassword.set({ resolve, reject }))
}

export const gaveUp = (): Failure =>
  new Failure({
    code: 'unauthenticated',
    status: 0,
    message: msg('The password was not entered, so nothing was sent.'),
  })

/** From now on calls that need it ask for the password before they are sent. */
export const askBeforeCalls = (): void =>
  beforeCalls(({ needsFreshSignIn }) => (needsFreshSignIn ? needFreshSignIn() : Promise.resolve()))

// What the person at the terminal reads once everything runs.

import type { PlaneChoice } from './planes.ts'

export interface Greeting {
  readonly address: string
  readonly choice: Pick<PlaneChoice, 'plane' | 'limitation'>
  readonly stateDir: string
  readonly firstLogin: string
  readonly firstPassword: string | null
  readonly allowsEveryone: boolean
  readonly isJournal: boolean
}

export function showBanner(greeting: Greeting): string {
  const { address, choice, stateDir, allowsEveryone } = greeting
  const signIn = describeSignIn(greeting)
  return [
    '',
    `Portcullis is ready: ${address}`,
    '',
    `  Data plane    ${describePlane(choice)}`,
    `  State         ${stateDir}`,
    ...(allowsEveryone
      ? ['  Users         authorization is not enforced: every local host may reach the internet']
      : []),
    ...signIn,
    '',
    `  ./gw ${choice.plane === 'lab' ? 'lab exec client -- curl http://www.example.test/' : '--help'}`,
    '  Ctrl-C to stop',
    '',
    '',
  ].join('\n')
}

/** The first password works for a day unless it is used; on a machine that is itself the gateway it must be changed. */
function describeSignIn({ choice, firstLogin, firstPassword, isJournal }: Greeting): readonly string[] {
  if (firstPassword === null) return []
  const shown = isJournal ? 'run ./gw admin first-password' : firstPassword
  const duty = choice.plane === 'host' ? 'use it within 24 hours and change it' : 'use it within 24 hours'
  return ['', `  Sign in as    ${firstLogin}`, `  Password      ${shown}   (${duty})`]
}

export function describePlane({ plane, limitation }: Greeting['choice']): string {
  if (plane === 'lab') return 'lab: client, gateway and internet in private namespaces; this machine is not touched'
  if (plane === 'host') return 'host: this machine is the gateway'
  return `none: everything is checked, nothing is applied (${limitation ?? 'no reason given'})`
}

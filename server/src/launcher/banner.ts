// What the person at the terminal reads once everything runs.

import type { PlaneChoice } from './planes.ts'

export interface Greeting {
  readonly address: string
  readonly choice: Pick<PlaneChoice, 'plane' | 'limitation'>
  readonly stateDir: string
  readonly firstLogin: string
  readonly firstPassword: string | null
}

export function showBanner({ address, choice, stateDir, firstLogin, firstPassword }: Greeting): string {
  const signIn =
    firstPassword === null
      ? []
      : ['', `  Sign in as    ${firstLogin}`, `  Password      ${firstPassword}   (shown only this once)`]
  return [
    '',
    `Portcullis is ready: ${address}`,
    '',
    `  Data plane    ${describePlane(choice)}`,
    `  State         ${stateDir}`,
    ...signIn,
    '',
    `  ./gw ${choice.plane === 'lab' ? 'lab exec client -- curl http://www.example.test/' : '--help'}`,
    '  Ctrl-C to stop',
    '',
    '',
  ].join('\n')
}

export function describePlane({ plane, limitation }: Greeting['choice']): string {
  if (plane === 'lab') return 'lab: client, gateway and internet in private namespaces; this machine is not touched'
  if (plane === 'host') return 'host: this machine is the gateway'
  return `none: everything is checked, nothing is applied (${limitation ?? 'no reason given'})`
}

// Which gateway a call is for (decision 103): the one that --address names, else PORTCULLIS_LISTEN, else that of
// PORTCULLIS_STATE, else the one that runs in this folder or checkout, else that of the last sign-in. A gateway that is named is
// the only one that can get the call: nothing falls back to another.

import { parseListen, showListen } from '../../launcher/settings.ts'
import type { Context } from '../context.ts'
import { badUsage, noConnection } from '../failure.ts'
import { escapeText } from '../output/text.ts'
import { isRenewalOf } from './connection.ts'
import { certificateInState, defaultAddress, findStateDir, hasNoGateway, localAddress } from './local-gateway.ts'
import { type SavedSessions, trustedAt } from './session-file.ts'

export interface Choice {
  readonly address: string
  readonly by: 'option' | 'PORTCULLIS_LISTEN' | 'PORTCULLIS_STATE' | 'running here' | 'last sign-in' | 'default'
}

export function chooseGateway(context: Context, saved: SavedSessions): Choice {
  if (context.address !== undefined) return { address: parseAddress(context.address), by: 'option' }
  const listen = listenAddress(context)
  if (listen !== null) {
    refuseOther(context, listen)
    return { address: listen, by: 'PORTCULLIS_LISTEN' }
  }
  if (context.env.PORTCULLIS_STATE) return { address: addressOfState(context, saved), by: 'PORTCULLIS_STATE' }
  const local = localAddress(context)
  if (local !== null) return { address: local, by: 'running here' }
  return saved.last === null ? { address: defaultAddress, by: 'default' } : { address: saved.last, by: 'last sign-in' }
}

/** Said where no word of this call and no variable names the gateway, and it could be another one than expected. */
export function sayGateway({ address, by }: Choice, saved: SavedSessions, { terminal }: Context): void {
  if (by === 'last sign-in') terminal.note(`Gateway: ${escapeText(address)}, the one of the last sign-in.\n`)
  if (by === 'running here' && saved.last !== null && saved.last !== address)
    terminal.note(
      `Gateway: ${escapeText(address)}, which runs here. The last sign-in was to ${escapeText(saved.last)}.\n`,
    )
}

export function parseAddress(text: string): string {
  const url = URL.parse(text.includes('://') ? text : `https://${text}`)
  const isPlain = url?.pathname === '/' && url.search === '' && url.hash === '' && url.username === ''
  if (url?.protocol !== 'https:' || url.hostname === '' || !isPlain) {
    throw badUsage(`The address must look like ${defaultAddress}, not "${text}".`)
  }
  return url.origin
}

const anyHost: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

/** The address of a variable that a gateway is started with; null where it leaves the port to the machine. */
function listenAddress({ env }: Context): string | null {
  if (!env.PORTCULLIS_LISTEN) return null
  const { host, port } = readListen(env.PORTCULLIS_LISTEN)
  return port === 0 ? null : parseAddress(showListen({ host: anyHost[host] ?? host, port }))
}

function readListen(text: string) {
  try {
    return parseListen('PORTCULLIS_LISTEN', text)
  } catch (error) {
    throw badUsage((error as Error).message)
  }
}

/** gw lab and gw admin would mean one gateway, and calls another. */
function refuseOther(context: Context, listen: string): void {
  const ofState = context.env.PORTCULLIS_STATE ? localAddress(context) : null
  if (ofState === null || isSame(new URL(ofState), new URL(listen))) return
  throw badUsage('PORTCULLIS_LISTEN and PORTCULLIS_STATE name two gateways. Nothing was sent.', [
    `PORTCULLIS_LISTEN  ${listen}`,
    `PORTCULLIS_STATE   ${ofState}, in ${findStateDir(context)}`,
    'Unset one of them, or use --address.',
  ])
}

const isSame = (one: URL, other: URL): boolean => {
  const isAny = Object.keys(anyHost).includes(one.hostname.replace(/^\[|\]$/g, ''))
  return one.port === other.port && (isAny || one.hostname === other.hostname)
}

/** Its record; without one, as under systemd, the address at which its certificate was trusted, or the usual one. */
function addressOfState(context: Context, saved: SavedSessions): string {
  const recorded = localAddress(context)
  if (recorded !== null) return recorded
  const stateDir = findStateDir(context)
  if (hasNoGateway(context))
    throw noConnection(`There is no gateway in ${stateDir}, which PORTCULLIS_STATE names. Nothing was sent.`, [
      'Start it, or use --address.',
    ])
  const own = certificateInState(context)
  // Only its owner and root can read the certificate; for others the gateway of a state without a record is the usual one.
  if (own === null) return defaultAddress
  const isOwn = (address: string): boolean => {
    const trusted = trustedAt(saved, address)
    return trusted !== undefined && (trusted.fingerprint === own.fingerprint || isRenewalOf(trusted, own))
  }
  // The newest first: a gateway in a lab may have had other ports.
  const last = saved.last === null ? [] : [saved.last]
  const known = [...last, defaultAddress, ...Object.keys(saved.sessions).reverse()].find(isOwn)
  if (known !== undefined) return known
  if (trustedAt(saved, defaultAddress) === undefined) return defaultAddress
  throw noConnection(`The gateway of ${stateDir}, which PORTCULLIS_STATE names, does not run. Nothing was sent.`, [
    `${defaultAddress} is another gateway.`,
    'Start it, or use --address.',
  ])
}

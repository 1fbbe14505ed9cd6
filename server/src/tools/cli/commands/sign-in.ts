// gw login, logout and whoami: which certificate to trust, which password to use, and what is saved.

import { signIn, signOut, whoAmI } from '../../../areas/sign-in/contract.ts'
import { createApi, withApi } from '../client/api.ts'
import { chooseGateway } from '../client/choose-gateway.ts'
import {
  type Answer,
  Connection,
  isRenewalOf,
  readCertificate,
  type ShownCertificate,
  strangeCertificate,
} from '../client/connection.ts'
import { certificateInState } from '../client/local-gateway.ts'
import {
  changeSessions,
  readSessions,
  type SavedSessions,
  trustedAt,
  withoutSession,
  withSession,
  withTrusted,
} from '../client/session-file.ts'
import type { Invocation, Run } from '../command.ts'
import type { Context } from '../context.ts'
import { badUsage, CommandFailure, exitCodes, noConnection, refused } from '../failure.ts'
import { printReply } from '../output/reply.ts'
import { escapeText, showJson } from '../output/text.ts'

const firstAdministrator = 'admin'

export const signInCommand: Run = async (invocation, context) => {
  const saved = readSessions(context.env)
  const { address } = chooseGateway(context, saved)
  const login = invocation.value('login') ?? firstAdministrator
  const certificate = await chooseCertificate(address, invocation, context, saved)
  const password = await readPassword(login, address, context)
  const connection = new Connection(address, certificate)
  try {
    const answer = await createApi(connection, null).send(signIn, { body: { login, password, rest_path: '/' } })
    const cookie = cookiesOf(answer)
    changeSessions(context.env, (now) =>
      withSession(withTrusted(now, address, certificate), address, { login, cookie }),
    )
  } finally {
    connection.close()
  }
  context.terminal.note(`Signed in to ${address} as ${escapeText(login)}.\n`)
  return exitCodes.done
}

async function chooseCertificate(
  address: string,
  invocation: Invocation,
  context: Context,
  saved: SavedSessions,
): Promise<ShownCertificate> {
  const shown = await readCertificate(address)
  const { fingerprint } = shown
  const given = invocation.value('fingerprint')
  if (given !== undefined) {
    if (plainFingerprint(given) === plainFingerprint(fingerprint)) return shown
    throw noConnection(`${address} presents a different certificate than the one given with --fingerprint.`, [
      `shown  ${fingerprint}`,
    ])
  }
  const known = trustedAt(saved, address)
  const isKnown = known !== undefined && (known.fingerprint === fingerprint || isRenewalOf(known, shown))
  if (isKnown || invocation.has('trust') || certificateInState(context)?.fingerprint === fingerprint) return shown
  if (known !== undefined) throw strangeCertificate(address, known.fingerprint, fingerprint)
  await askTrust(address, fingerprint, context)
  return shown
}

const plainFingerprint = (text: string): string =>
  text
    .replace(/^sha256:/i, '')
    .replaceAll(/[:\s]/g, '')
    .toLowerCase()

async function askTrust(address: string, shown: string, context: Context): Promise<void> {
  if (!context.keyboard.isTerminal) {
    throw noConnection(`The certificate of ${address} is not trusted yet. Nothing was sent.`, [
      `SHA-256  ${shown}`,
      'Compare it with the gateway, then run gw login --fingerprint <SHA-256>, or gw login --trust to accept it.',
    ])
  }
  context.terminal.note(
    `This is the first sign-in to ${address}. Its certificate has the SHA-256 fingerprint\n  ${shown}\n`,
  )
  if (await context.keyboard.askYes('Is this your gateway? [y/N] ')) return
  throw refused('The certificate was not trusted. Nothing was sent.')
}

/** The variable is the one the first administrator was made with, so it counts for that login only. */
async function readPassword(login: string, address: string, { env, keyboard }: Context): Promise<string> {
  const fromEnvironment = login === firstAdministrator ? env.PORTCULLIS_ADMIN_PASSWORD : undefined
  const password =
    fromEnvironment ||
    (keyboard.isTerminal
      ? await keyboard.askSecret(`Password of ${escapeText(login)} at ${address}: `)
      : ((await keyboard.readAll()).split(/\r?\n/, 1)[0] ?? ''))
  if (password === '') throw badUsage('No password was given.')
  return password
}

/** Both cookies as one header; the gateway sets exactly these two. */
export function cookiesOf({ headers }: Answer): string {
  const cookies = (headers['set-cookie'] ?? []).map((cookie) => cookie.split(';', 1)[0] ?? '')
  if (cookies.length !== 2)
    throw refused('The answer to the sign-in contains no session. Check that the address is that of a gateway.')
  return cookies.join('; ')
}

export const signOutCommand: Run = async (_invocation, context) => {
  const saved = readSessions(context.env)
  const { address } = chooseGateway(context, saved)
  if (saved.sessions[address] === undefined) {
    context.terminal.note(`You were not signed in to ${escapeText(address)}.\n`)
    return exitCodes.done
  }
  try {
    await withApi(context, (api) => api.send(signOut))
  } catch (error) {
    // A session that has ended need not be ended. When the gateway cannot be reached, the cookies here are still deleted.
    if (!(error instanceof CommandFailure)) throw error
    if (error.exitCode === exitCodes.noConnection) context.terminal.note(`gw: ${escapeText(error.message)}\n`)
    else if (error.exitCode !== exitCodes.notSignedIn) throw error
  } finally {
    changeSessions(context.env, (now) => withoutSession(now, address))
  }
  context.terminal.note(`Signed out of ${escapeText(address)}.\n`)
  return exitCodes.done
}

export const whoAmICommand: Run = async (invocation, context) => {
  const { terminal } = context
  const identity = await withApi(context, async (api, address) => ({ ...(await api.ask(whoAmI)), address }))
  if (invocation.has('json')) terminal.out(`${showJson(identity, 2)}\n`)
  else printReply(identity, terminal)
  return exitCodes.done
}

// How gw setup signs in: with the first password, which it replaces by the administrator's own, and at later runs with that one or
// with the session that an earlier run or gw login saved.

import { localAdministrators, NewAdministrator } from '../../../areas/administrators/contract.ts'
import { ownSession, signIn } from '../../../areas/sign-in/contract.ts'
import { type Api, createApi } from '../client/api.ts'
import { Connection } from '../client/connection.ts'
import { findStateDir } from '../client/local-gateway.ts'
import type { OwnGateway } from '../client/own-gateway.ts'
import { changeSessions, readSessions, withSession, withTrusted } from '../client/session-file.ts'
import type { Context } from '../context.ts'
import { badUsage, CommandFailure, exitCodes, refused } from '../failure.ts'
import { escapeText } from '../output/text.ts'
import { findFirstPassword } from './first-password.ts'
import { cookiesOf } from './sign-in.ts'

/** The administrator of the first password. */
const firstLogin = 'admin'

/** Which password is asked for, before anything is done. */
export interface Account {
  readonly login: string
  readonly first: string | null
  /** The new password where there is a first one, otherwise the one to sign in with; null: a saved session is used. */
  readonly password: string | null
}

/** `given` is the password of --password-stdin; null: it is asked for. */
export async function prepareAccount(
  context: Context,
  own: OwnGateway,
  login: string = firstLogin,
  given: string | null = null,
): Promise<Account> {
  const first = login === firstLogin ? findFirstPassword(findStateDir(context)) : null
  if (given !== null) {
    if (first !== null) await refuseWeak(login, given, '--password-stdin')
    return { login, first, password: given }
  }
  if (first !== null) return { login, first, password: await askNewPassword(context, login) }
  const session = await savedSession(context, own, login)
  if (session?.mustChange === true) return { login, first: null, password: await askNewPassword(context, login) }
  if (session !== null) return { login, first: null, password: null }
  if (!context.keyboard.isTerminal) throw badUsage('--password-stdin: This option is missing.')
  return { login, first: null, password: await context.keyboard.askSecret(`Password of ${escapeText(login)}: `) }
}

async function askNewPassword({ keyboard, terminal }: Context, login: string): Promise<string> {
  if (!keyboard.isTerminal) throw badUsage('--password-stdin: This option is missing.')
  for (;;) {
    const password = await keyboard.askSecret(`New password of ${escapeText(login)}: `)
    try {
      await refuseWeak(login, password, 'The password')
      if ((await keyboard.askSecret('The same again: ')) === password) return password
      terminal.note('The two differ.\n')
    } catch (error) {
      if (!(error instanceof CommandFailure) || error.exitCode !== exitCodes.usage) throw error
      terminal.note(`${error.message}\n`)
    }
  }
}

/** The same checks as on the server: the first password is used up by the sign-in, so what follows must not fail. */
async function refuseWeak(login: string, password: string, what: string): Promise<void> {
  const { faultsOf } = await import('../../../core/validation/validate.ts')
  const { weaknessOf } = await import('../../../core/accounts/passwords.ts')
  const { hostname } = await import('node:os')
  const fault =
    faultsOf(NewAdministrator.properties.password, password)[0]?.message ??
    weaknessOf(password, [login, 'portcullis', hostname()])
  if (fault !== null) throw badUsage(`${what}: ${fault}`)
}

async function savedSession(
  context: Context,
  own: OwnGateway,
  login: string,
): Promise<{ readonly mustChange: boolean } | null> {
  const saved = readSessions(context.env).sessions[own.address]
  if (saved === undefined || saved.login !== login) return null
  return withConnection(own, async (connection) => {
    try {
      const { must_change_password: mustChange } = await createApi(connection, saved.cookie).ask(ownSession)
      return { mustChange }
    } catch (error) {
      if (error instanceof CommandFailure && error.exitCode === exitCodes.notSignedIn) return null
      throw error
    }
  })
}

async function withConnection<T>(own: OwnGateway, work: (connection: Connection) => Promise<T>): Promise<T> {
  const connection = new Connection(own.address, own.certificate)
  try {
    return await work(connection)
  } finally {
    connection.close()
  }
}

/** Signs in, and leaves the session for later commands of this account. */
export async function openSession<T>(
  context: Context,
  own: OwnGateway,
  account: Account,
  work: (api: Api) => Promise<T>,
): Promise<T> {
  const { login, first, password } = account
  return withConnection(own, async (connection) => {
    const enter = async (password: string): Promise<string> => {
      const answer = await createApi(connection, null).send(signIn, { body: { login, password, rest_path: '/' } })
      const cookie = cookiesOf(answer)
      changeSessions(context.env, (now) =>
        withSession(withTrusted(now, own.address, own.certificate), own.address, { login, cookie }),
      )
      return cookie
    }
    let cookie = readSessions(context.env).sessions[own.address]?.cookie ?? ''
    if (first !== null) cookie = await enter(first)
    else if (password !== null) cookie = await enterAgain(enter, account, cookie)
    if (password !== null && (await mustReplace(createApi(connection, cookie), first))) {
      await replacePassword(createApi(connection, cookie), password)
      context.terminal.note(`The password of ${escapeText(login)} is set.\n`)
      cookie = await enter(password)
    }
    return work(createApi(connection, cookie))
  })
}

/** After an interrupted run the first password is used up, and its session is the only way to set another one. */
async function enterAgain(enter: (password: string) => Promise<string>, { login, password }: Account, saved: string) {
  try {
    return await enter(password ?? '')
  } catch (error) {
    if (!(error instanceof CommandFailure) || error.exitCode !== exitCodes.notSignedIn) throw error
    if (saved !== '') return saved
    throw refused(`The password of ${login} is wrong.`, ['If it is lost: gw admin reset'])
  }
}

const mustReplace = async (api: Api, first: string | null): Promise<boolean> =>
  first !== null || (await api.ask(ownSession)).must_change_password

async function replacePassword(api: Api, password: string): Promise<void> {
  const { admin_id: id } = await api.ask(ownSession)
  const { update } = localAdministrators
  await api.send(update, { path: update.path.replace(':admin_id', id), body: { password } })
}

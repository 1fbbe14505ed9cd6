// The second factor of a sign-in: asking for it, judging a code, and taking over the secret of a new authenticator app.

import type { Services } from '../../core/area/handle.ts'
import type { Offered } from '../../core/area/service.ts'
import { read } from '../../core/model/slots.ts'
import type { SecondFactor, SignInResult } from '../../engines/portal/protocol.ts'
import { say } from '../../shared/said.ts'
import type { StoredUser } from '../users/public.ts'
import { refused, unixNow } from './actions-entry.ts'
import { codeMark } from './contract-sign-in.ts'
import {
  addFactor,
  addressPlace,
  factorOf,
  factorPlace,
  keyPlace,
  providers,
  secondFactors,
} from './lists-second-factors.ts'
import { codeProviderService, portalService } from './service.ts'

type Tickets = Offered<typeof portalService>['tickets']
type Wait = Parameters<Tickets['open']>[0]['wait']
type Ticket = ReturnType<Tickets['list']>[number]

interface Sign {
  readonly user: StoredUser
  readonly mark: string
  readonly address: string
  readonly factor: SecondFactor
}

export async function beginFactor(services: Services, sign: Sign): Promise<SignInResult> {
  const { brand } = services
  const portal = services.of(portalService)
  const { user, factor } = sign
  if (factor !== 'totp') return sendCode(services, { ...sign, factor })
  if (factorOf(services.engine.config, user.id)) return wait(services, sign, { kind: 'totp' }, null)
  const enrolment = portal.codes.createEnrolment(brand, user.login)
  portal.lines.write('web-authd', 'info', `User '${user.login}' takes over a new authenticator app.`)
  return wait(services, sign, { kind: 'enrolment', secret: enrolment.secret }, enrolment)
}

function wait(
  services: Services,
  { user, mark, address, factor }: Sign,
  waiting: Wait,
  enrolment: { readonly uri: string; readonly secret: string } | null,
): SignInResult {
  const portal = services.of(portalService)
  const ticket = portal.tickets.open({ userId: user.id, passwordMark: mark, address, wait: waiting })
  return { status: 'second_factor', ticket, factor, enrolment }
}

/** A message costs money and disturbs its receiver, so each user gets few of them. */
async function sendCode(
  services: Services,
  sign: Sign & { readonly factor: 'smssvc' | 'multifactor' },
): Promise<SignInResult> {
  const { vault } = services
  const portal = services.of(portalService)
  const codeProvider = services.of(codeProviderService)
  const { user, factor } = sign
  const unavailable = (reason: string): SignInResult => {
    portal.lines.write('web-authd', 'warning', `No code could be sent to '${user.login}': ${reason}.`)
    return refused('no_second_factor')
  }
  const settings = read(services.engine.config, providers)
  const { enabled, address, key, timeout_seconds } = settings[factor]
  if (!codeProvider || !enabled || key === null || address === null) return unavailable('the provider is switched off')
  if (factor === 'smssvc' && user.phone_number === null) return unavailable('the user has no phone number')
  if (!portal.mayMessage(user.id)) return unavailable('too many codes were sent')
  const { code, hash } = portal.codes.createSent()
  const body: Readonly<Record<string, string>> =
    factor === 'smssvc'
      ? { to: digitsOf(user.phone_number ?? ''), text: settings.smssvc.text.replaceAll(codeMark, code) }
      : { login: user.login, code }
  const url = new URL(vault.reveal(address, addressPlace(factor)))
  const found = await codeProvider.lookUp(url.hostname)
  if ('fault' in found) return unavailable(found.fault.replace(/\.$/, ''))
  const fault = await codeProvider.call({
    url,
    address: found.address,
    key: vault.reveal(key, keyPlace(factor)),
    timeoutSeconds: timeout_seconds,
    body,
  })
  if (fault !== null) return unavailable(fault)
  return wait(services, sign, { kind: 'sent', factor, codeHash: hash }, null)
}

/** A number as providers take it: the plus sign and digits. */
const digitsOf = (phone: string): string => phone.replaceAll(/[^+\d]/g, '')

/** A right code is used up by this. */
export function isRightCode(services: Services, waiting: Wait, userId: string, given: string): boolean {
  const { codes } = services.of(portalService)
  if (waiting.kind === 'sent') return codes.isSent(given, waiting.codeHash)
  const secret = waiting.kind === 'enrolment' ? waiting.secret : secretOf(services, userId)
  return secret !== null && codes.use(userId, secret, given)
}

/** Null when it was reset since the password was checked. */
function secretOf({ engine, vault }: Services, userId: string): string | null {
  const factor = factorOf(engine.config, userId)
  return factor ? vault.reveal(factor.secret, factorPlace(factor.id)) : null
}

/** The secret of a new app is stored with the first right code; false when it cannot be, or another one was stored before. */
export async function storeEnrolled(
  services: Services,
  user: StoredUser,
  { wait: waiting }: Ticket,
  address: string,
): Promise<boolean> {
  if (waiting.kind !== 'enrolment') return true
  const { changeAsGateway, vault, engine } = services
  const portal = services.of(portalService)
  let added: number | null = null
  try {
    await changeAsGateway(
      (config, tools) => {
        added = null
        if (factorOf(config, user.id)) return config
        added = tools.nextId(secondFactors)
        const secret = vault.seal(waiting.secret, factorPlace(added))
        return addFactor(config, { id: added, user_id: user.id, secret, since: unixNow(services) })
      },
      { reason: say`Authenticator app of a user`, actor: { login: `user ${user.login}`, address } },
    )
  } catch {
    // During a probation or with a full disk nothing can change.
    portal.lines.write('web-authd', 'warning', `The authenticator app of '${user.login}' could not be stored.`)
    return false
  }
  return added !== null && factorOf(engine.config, user.id)?.id === added
}

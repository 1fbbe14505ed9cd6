// The environment of gatewayd, read once and checked.

export interface Settings {
  readonly stateDir: string
  readonly listen: { readonly host: string; readonly port: number }
  /** A listening socket handed in by the launcher. */
  readonly listenFd: number | null
  /** Where to report to the launcher that the service answers. */
  readonly notifyFd: number | null
  readonly adminPassword: string | null
  readonly brand: string
  /** This machine is itself the gateway. */
  readonly isHost: boolean
  /** False where everything is rendered and checked, and nothing applied. */
  readonly isApplied: boolean
  /** Where client agents connect; null: only on the management port. */
  readonly agentListen: { readonly host: string; readonly port: number } | null
  readonly agentPath: string
  /** One line in the log for every request. */
  readonly logsRequests: boolean
  /** How long audit records are kept, and how much space they may take. */
  readonly auditLimits: { readonly days: number; readonly megabytes: number }
}

type Environment = Readonly<Record<string, string | undefined>>

export function readSettings(env: Environment): Settings {
  return {
    stateDir: required(env, 'PORTCULLIS_STATE'),
    listen: readListen(env.PORTCULLIS_LISTEN ?? '127.0.0.1:8443'),
    listenFd: readDescriptor(env.PORTCULLIS_LISTEN_FD),
    notifyFd: readDescriptor(env.PORTCULLIS_NOTIFY_FD),
    adminPassword: readPassword(env.PORTCULLIS_ADMIN_PASSWORD),
    brand: readBrand(env.PORTCULLIS_BRAND ?? 'portcullis'),
    isHost: env.PORTCULLIS_DATAPLANE === 'host',
    isApplied: env.PORTCULLIS_DATAPLANE !== 'none',
    agentListen: readAgentListen(env),
    agentPath: readAgentPath(env.PORTCULLIS_AGENT_PATH ?? '/connect'),
    logsRequests: env.PORTCULLIS_LOG_REQUESTS === '1',
    auditLimits: {
      days: readNumber(env, 'PORTCULLIS_AUDIT_DAYS', 365, 30, 36_500),
      megabytes: readNumber(env, 'PORTCULLIS_AUDIT_MB', 256, 128, 65_536),
    },
  }
}

function required(env: Environment, name: string): string {
  const value = env[name]
  if (!value) throw new Error(`${name} must be set.`)
  return value
}

export function readListen(text: string): { host: string; port: number } {
  const match = /^(?:\[([0-9a-f:.]+)\]|([^:[\]]+)):(\d{1,5})$/i.exec(text)
  const port = Number(match?.[3])
  if (!match || port > 65_535) throw new Error('PORTCULLIS_LISTEN must look like 127.0.0.1:8443 or [::1]:8443.')
  return { host: match[1] ?? match[2] ?? '', port }
}

function readAgentListen(env: Environment): Settings['agentListen'] {
  const text = env.PORTCULLIS_AGENT_LISTEN ?? (env.PORTCULLIS_DATAPLANE === 'none' ? '' : '0.0.0.0:14765')
  return text === '' ? null : readListen(text)
}

function readAgentPath(text: string): string {
  if (!/^(?:\/[A-Za-z0-9._~-]{1,64}){1,4}$/.test(text))
    throw new Error('PORTCULLIS_AGENT_PATH must look like /connect.')
  return text
}

function readNumber(env: Environment, name: string, absent: number, least: number, most: number): number {
  const value = Number(env[name] ?? absent)
  if (Number.isInteger(value) && value >= least && value <= most) return value
  throw new Error(`${name} must be a number from ${least} to ${most}.`)
}

function readDescriptor(text: string | undefined): number | null {
  return text === undefined || text === '' ? null : Number(text)
}

function readPassword(text: string | undefined): string | null {
  if (text === undefined || text === '') return null
  const length = [...text].length
  if (length < 10 || length > 42) throw new Error('PORTCULLIS_ADMIN_PASSWORD must have 10 to 42 characters.')
  return text
}

/** The brand goes into cookie names. */
export function readBrand(text: string): string {
  if (!/^[a-z0-9-]{1,32}$/i.test(text)) throw new Error('PORTCULLIS_BRAND must consist of letters, digits and dashes.')
  return text
}

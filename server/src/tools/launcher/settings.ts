// What the environment asks of the launcher. Pure: a value in, settings or one clear sentence out.

import { isIP } from 'node:net'
import { join, resolve } from 'node:path'
import type { DataPlane } from '../../core/plan/artifacts.ts'
import { LaunchFailure } from './failure.ts'

export interface ListenAddress {
  readonly host: string
  readonly port: number
}

export interface Settings {
  readonly listen: ListenAddress
  readonly stateDir: string
  readonly brand: string
  readonly plane: DataPlane
  /** Where client agents connect; null leaves it to gatewayd. */
  readonly agentListen: ListenAddress | null
  readonly agentPath: string | null
  /** How applyd loads rules; null leaves it to applyd. */
  readonly nftWay: 'library' | 'program' | null
  /** The password the first administrator shall have; without it gatewayd makes one. */
  readonly adminPassword: string | null
}

type Environment = Readonly<Record<string, string | undefined>>

export function readSettings(env: Environment, appRoot: string, workingDir: string): Settings {
  return {
    listen: parseListen('PORTCULLIS_LISTEN', given(env, 'PORTCULLIS_LISTEN') ?? '127.0.0.1:8443'),
    stateDir: parseStateDir(given(env, 'PORTCULLIS_STATE'), appRoot, workingDir),
    brand: parseBrand(given(env, 'PORTCULLIS_BRAND') ?? 'portcullis'),
    plane: parsePlane(given(env, 'PORTCULLIS_DATAPLANE') ?? 'lab'),
    agentListen: parseAgentListen(given(env, 'PORTCULLIS_AGENT_LISTEN')),
    agentPath: parseAgentPath(given(env, 'PORTCULLIS_AGENT_PATH')),
    nftWay: parseNftWay(given(env, 'PORTCULLIS_NFT')),
    adminPassword: parsePassword(given(env, 'PORTCULLIS_ADMIN_PASSWORD')),
  }
}

/** An empty variable counts as not given: compose files and unit files like to write `NAME=`. */
function given(env: Environment, name: string): string | null {
  const value = env[name]
  return value === undefined || value === '' ? null : value
}

/** The gw command reads the same variable. */
export function parseListen(name: string, text: string): ListenAddress {
  const match = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text)
  const host = match?.[1] ?? match?.[2] ?? ''
  const numeric = host === 'localhost' ? '127.0.0.1' : host
  const port = Number(match?.[3])
  if (isIP(numeric) === 0 || !(port <= 65535))
    throw bad(`${name} must be an address and a port such as 127.0.0.1:8443 or [::1]:8443, not "${text}".`)
  return { host: numeric, port }
}

const parseAgentListen = (text: string | null): ListenAddress | null =>
  text === null ? null : parseListen('PORTCULLIS_AGENT_LISTEN', text)

function parseAgentPath(text: string | null): string | null {
  if (text !== null && !/^(?:\/[A-Za-z0-9._~-]{1,64}){1,4}$/.test(text))
    throw bad(`PORTCULLIS_AGENT_PATH must be a path such as /connect, not "${text}".`)
  return text
}

function parseNftWay(text: string | null): Settings['nftWay'] {
  if (text === null || text === 'library' || text === 'program') return text
  throw bad(`PORTCULLIS_NFT must be library or program, not "${text}".`)
}

function parseStateDir(text: string | null, appRoot: string, workingDir: string): string {
  const path = text === null ? join(appRoot, 'state') : resolve(workingDir, text)
  if (path === '/') throw bad('PORTCULLIS_STATE must be a separate folder, not "/".')
  return path
}

/** The brand becomes part of cookie names, hence the narrow alphabet. */
function parseBrand(text: string): string {
  if (!/^[A-Za-z0-9-]{1,32}$/.test(text))
    throw bad(`PORTCULLIS_BRAND must be 1 to 32 letters, digits or hyphens, not "${text}".`)
  return text
}

function parsePlane(text: string): DataPlane {
  if (text === 'lab' || text === 'host' || text === 'none') return text
  throw bad(`PORTCULLIS_DATAPLANE must be lab, host or none, not "${text}".`)
}

/** Only the length is checked here; what makes a password too common is gatewayd's knowledge. */
function parsePassword(text: string | null): string | null {
  if (text === null) return null
  const length = [...text].length
  if (length < 10 || length > 42)
    throw bad(`PORTCULLIS_ADMIN_PASSWORD must have 10 to 42 characters, this one has ${length}.`)
  return text
}

function bad(sentence: string): LaunchFailure {
  return new LaunchFailure(sentence, 2)
}

export function showListen({ host, port }: ListenAddress): string {
  return isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`
}

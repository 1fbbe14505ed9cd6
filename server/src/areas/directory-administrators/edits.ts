// What can be done to the RADIUS servers. The caller seals secrets; clear text is not stored.

import { invalid } from '../../core/contract/error.ts'
import { secretMask } from '../../core/contract/fields.ts'
import { writeSettings } from '../../core/model/lists.ts'
import type { Sealed } from '../../core/model/secret.ts'
import { type Config, read } from '../../core/model/slots.ts'
import { say } from '../../shared/said.ts'
import { type RadiusServer, radius, type StoredServer } from './config.ts'
import type { RadiusPatch, RadiusServerPatch } from './contract.ts'
import { radiusSettings } from './lists.ts'

/** Turns the clear text into what is stored; the vault binds it to the server. */
export type SealSecret = (secret: string, which: RadiusServer) => Sealed

export function updateRadius(config: Config, patch: RadiusPatch, seal: SealSecret): Config {
  if (patch.secondary && patch.allow_external)
    throw invalid('allow_external', say`Send either secondary or allow_external: they mean the same server.`)
  const current = read(config, radius)
  return writeSettings(config, radiusSettings, {
    primary: updateServer(current.primary, patch.primary, (secret) => seal(secret, 'primary')),
    secondary: updateServer(current.secondary, patch.secondary ?? patch.allow_external, (secret) =>
      seal(secret, 'secondary'),
    ),
  })
}

function updateServer(
  current: StoredServer,
  patch: RadiusServerPatch = {},
  seal: (secret: string) => Sealed,
): StoredServer {
  const { secret, ...rest } = patch
  if (secret === undefined || secret === null || secret === secretMask) return { ...current, ...rest }
  return { ...current, ...rest, secret: secret === '' ? null : seal(secret) }
}

// Endpoints of offline updates. A signed package is stored and then installed by root; archives of databases are not stored, and
// archives of category lists are taken.

import { handle, type Route, type Services } from '../../core/area/handle.ts'
import type { Offered } from '../../core/area/service.ts'
import { GatewayError, invalid } from '../../core/contract/error.ts'
import { say, sentencesIn } from '../../shared/said.ts'
import { release } from '../../shared/version.ts'
import { makeBackup } from '../backup/public.ts'
import { webCategoriesService } from '../content-filter/service.ts'
import { noDatabaseUpdates, systemImage, upgradeStatus, uploadDatabases, uploadFilterDatabases } from './contract.ts'
import { upgradesService } from './service.ts'

const holdsAt = (file: Buffer, at: number, mark: Buffer): boolean => file.subarray(at, at + mark.length).equals(mark)

/** tar, plain or compressed with gzip. */
const isArchive = (file: Buffer): boolean =>
  holdsAt(file, 257, Buffer.from('ustar')) || holdsAt(file, 0, Buffer.from([0x1f, 0x8b]))

const notInstalled = say`This gateway was not installed as a package, so it cannot install updates. Update the folder that it was started from.`

function upgradesOf(services: Services): NonNullable<Offered<typeof upgradesService>> {
  const upgrades = services.of(upgradesService)
  if (!upgrades) throw new GatewayError('conflict', notInstalled)
  upgrades.requireInstalled()
  return upgrades
}

/** The numbers of a version such as 0.2.0-1; those that are missing are 0. */
function numbersOf(version: string): { major: number; minor: number; build: number } {
  const [major = 0, minor = 0, build = 0] = version
    .split(/[.+~-]/)
    .map((part) => (/^\d{1,9}$/.test(part) ? Number(part) : 0))
  return { major, minor, build }
}

export const routes: readonly Route[] = [
  handle(systemImage.show, ({ services }) => {
    const uploaded = services.of(upgradesService)?.state().uploaded
    if (!uploaded) return { uploaded_iso_version: null }
    return { uploaded_iso_version: { ...release, ...numbersOf(uploaded.version), timestamp: uploaded.timestamp } }
  }),
  handle(upgradeStatus, ({ services }) => {
    const state = services.of(upgradesService)?.state()
    const uploaded = state?.uploaded
    return {
      installed_version: state?.installed?.version ?? null,
      obstacle: state?.installed ? '' : notInstalled,
      uploaded: uploaded
        ? {
            version: uploaded.version,
            built_at: uploaded.timestamp,
            bytes: uploaded.bytes,
            sha256: uploaded.digest,
            key: uploaded.key,
          }
        : null,
      last: state?.last ? withoutId(state.last) : null,
      sentences: [...sentencesIn(state?.installed ? '' : notInstalled), ...(state?.last?.sentences ?? [])],
    }
  }),
  handle(systemImage.upload, async ({ bodyStream, services, requireAuthority, audit }) => {
    const { version, key } = await upgradesOf(services).receive(bodyStream, requireAuthority)
    audit(`Version ${version}, signed with the key ${key}, was uploaded.`)
  }),
  handle(systemImage.install, async ({ services, requireAuthority, audit }) => {
    const { uploaded, last } = upgradesOf(services).state()
    if (last?.state === 'running')
      throw new GatewayError('conflict', say`An upgrade is running. Wait until it has ended.`)
    if (!uploaded) throw new GatewayError('conflict', say`No package has been uploaded.`)
    await makeBackup(services, `Before the upgrade to ${uploaded.version}`, requireAuthority)
    const begun = await services.applier.upgrade(uploaded.digest)
    if (begun.status === 'refused') throw new GatewayError('conflict', begun.message)
    audit(`The upgrade from ${begun.from} to ${begun.to} was begun.`)
  }),
  handle(uploadDatabases, ({ rawBody }) => {
    if (!isArchive(rawBody)) throw invalid('body', say`The file is not a tar archive.`)
    throw new GatewayError('conflict', noDatabaseUpdates)
  }),
  handle(uploadFilterDatabases, ({ bodyStream, services, requireAuthority }) =>
    services.of(webCategoriesService).receive(bodyStream, requireAuthority),
  ),
]

function withoutId<T extends { readonly id: string; readonly sentences?: unknown }>({
  id: _,
  sentences: _sentences,
  ...rest
}: T): Omit<T, 'id' | 'sentences'> {
  return rest
}

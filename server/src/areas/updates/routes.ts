// Endpoints of offline updates. Images and database archives are not stored; a file of the wrong kind gets another answer than
// one that only this release cannot install. Archives of category lists are taken.

import { GatewayError, invalid } from '../../contract/error.ts'
import { handle, type Route } from '../../http/handle.ts'
import { noDatabaseUpdates, noSystemUpdates, systemImage, uploadDatabases, uploadFilterDatabases } from './contract.ts'

const holdsAt = (file: Buffer, at: number, mark: Buffer): boolean => file.subarray(at, at + mark.length).equals(mark)

/** ISO 9660: the first volume descriptor is in sector 16, its name after the type byte. */
const isImage = (file: Buffer): boolean => holdsAt(file, 16 * 2048 + 1, Buffer.from('CD001'))

/** tar, plain or compressed with gzip. */
const isArchive = (file: Buffer): boolean =>
  holdsAt(file, 257, Buffer.from('ustar')) || holdsAt(file, 0, Buffer.from([0x1f, 0x8b]))

export const routes: readonly Route[] = [
  handle(systemImage.show, () => ({ uploaded_iso_version: null })),
  handle(systemImage.upload, ({ rawBody }) => {
    if (!isImage(rawBody)) throw invalid('body', 'The file is not an ISO image.')
    throw new GatewayError('conflict', noSystemUpdates)
  }),
  handle(systemImage.install, () => {
    throw new GatewayError('conflict', `No update image has been uploaded. ${noSystemUpdates}`)
  }),
  handle(uploadDatabases, ({ rawBody }) => {
    if (!isArchive(rawBody)) throw invalid('body', 'The file is not a tar archive.')
    throw new GatewayError('conflict', noDatabaseUpdates)
  }),
  handle(uploadFilterDatabases, ({ bodyStream, services, requireAuthority }) =>
    services.webCategories.receive(bodyStream, requireAuthority),
  ),
]

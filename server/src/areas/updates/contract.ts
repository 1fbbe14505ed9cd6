// Offline updates: the system from an image, the databases from an archive (docs/behaviour/updates.md). This release installs
// neither and refuses both; it takes archives of category lists for the content filter.

import { endpoint } from '../../contract/endpoint.ts'
import { nullable, oneOf, strictObject } from '../../contract/fields.ts'
import { Type } from '../../contract/schema.ts'

export const noSystemUpdates = 'This release cannot install system updates, so it accepts no update image.'
export const noDatabaseUpdates =
  'This release cannot install databases from an archive, so it accepts none. Nothing was changed.'

const ImageVersion = strictObject({
  major: Type.Integer(),
  minor: Type.Integer(),
  build: Type.Integer(),
  timestamp: Type.Integer({ 'x-time': 'unix', description: 'Unix seconds of the build.' }),
  vendor: Type.String(),
  product: oneOf(['UTM', 'CC']),
  kind: oneOf(['FSTEK', 'VPP', 'STANDARD', 'BPF']),
  release_type: oneOf(['release', 'beta', 'devel']),
})

export const systemImage = {
  show: endpoint({
    method: 'GET',
    path: '/sysupdate/iso-upload',
    access: 'view',
    summary: 'Show the version of the uploaded update image',
    description: 'Always null: this release stores no image.',
    reply: strictObject({ uploaded_iso_version: nullable(ImageVersion) }),
  }),
  upload: endpoint({
    method: 'PUT',
    path: '/sysupdate/iso-upload',
    errors: ['conflict'],
    access: 'configure',
    summary: 'Upload a system update image',
    description: `${noSystemUpdates} An image is refused with 409 (or 413 if it is too large), any other file with 422.`,
    effect: 'action',
    rawBodyType: 'application/octet-stream',
    tooLargeMessage: noSystemUpdates,
  }),
  install: endpoint({
    method: 'POST',
    path: '/sysupdate/iso-install',
    errors: ['conflict'],
    access: 'configure',
    summary: 'Install the uploaded update image',
    description: 'Always 409: this release has no image to install.',
    effect: 'action',
  }),
}

export const uploadDatabases = endpoint({
  method: 'PUT',
  path: '/api/offline-update',
  errors: ['conflict'],
  access: 'configure',
  summary: 'Upload a database archive',
  description: `${noDatabaseUpdates} An archive is refused with 409 (or 413 if it is too large), any other file with 422.`,
  effect: 'action',
  rawBodyType: 'application/octet-stream',
  tooLargeMessage: noDatabaseUpdates,
})

/** Public lists of millions of entries take a tenth of this. */
const maxListBytes = 256 * 1024 * 1024

export const uploadFilterDatabases = endpoint({
  method: 'PUT',
  path: '/content-filter/update_archive_upload',
  errors: ['conflict', 'unavailable'],
  access: 'configure',
  summary: 'Upload a database archive of the content filter',
  description:
    'A tar archive, plain or compressed with gzip, of category lists: one folder a category with the files domains and urls. ' +
    'It replaces the archive that was uploaded before. Answered when it is checked and stored; GET /content-filter/database ' +
    'shows how the index is built. 409 while another archive is received or built.',
  effect: 'action',
  rawBodyType: 'application/octet-stream',
  streamsBody: true,
  bodyLimitBytes: maxListBytes,
  tooLargeMessage:
    'The archive is larger than 256 MB. Remove folders of categories that are not used, then upload it again.',
})

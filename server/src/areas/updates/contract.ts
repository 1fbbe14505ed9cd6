// Updates without a connection: the system from an image, the databases from an archive (general.md 2.3). This release
// installs neither and says so.

import { endpoint } from '../../contract/endpoint.ts'
import { nullable, oneOf, strictObject } from '../../contract/fields.ts'
import { Type } from '../../contract/schema.ts'

export const noSystemUpdates = 'This release cannot install system updates, so it takes no update image.'
export const noDatabaseUpdates =
  'This release cannot install databases from an archive, so it takes none and nothing was changed.'

const ImageVersion = strictObject({
  major: Type.Integer(),
  minor: Type.Integer(),
  build: Type.Integer(),
  timestamp: Type.Integer({ description: 'Unix seconds of the build.' }),
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
    description: 'Always null in this release, which keeps no image.',
    reply: strictObject({ uploaded_iso_version: nullable(ImageVersion) }),
  }),
  upload: endpoint({
    method: 'PUT',
    path: '/sysupdate/iso-upload',
    errors: ['conflict'],
    access: 'configure',
    summary: 'Upload an update image of the system',
    description: `${noSystemUpdates} An image is refused with 409 or, by its size, 413; any other file with 422.`,
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
    description: 'Always 409 in this release, which has no image to install.',
    effect: 'action',
  }),
}

const archiveUpload = (path: string, summary: string) =>
  endpoint({
    method: 'PUT',
    path,
    errors: ['conflict'],
    access: 'configure',
    summary,
    description: `${noDatabaseUpdates} An archive is refused with 409 or, by its size, 413; any other file with 422.`,
    effect: 'action',
    rawBodyType: 'application/octet-stream',
    tooLargeMessage: noDatabaseUpdates,
  })

export const uploadDatabases = archiveUpload('/api/offline-update', 'Upload an archive of databases')

/** What is inside such an archive is not described, so only its outer form is judged. */
export const uploadFilterDatabases = archiveUpload(
  '/content-filter/update_archive_upload',
  'Upload an archive of the databases of the content filter',
)

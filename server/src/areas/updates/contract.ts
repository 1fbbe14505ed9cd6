// Offline updates: the system from a signed package, the databases from an archive (docs/behaviour/updates.md). This release
// refuses archives of databases; it takes archives of category lists for the content filter.

import { endpoint } from '../../core/contract/endpoint.ts'
import { nullable, oneOf, Spoken, strictObject } from '../../core/contract/fields.ts'
import { Type } from '../../core/contract/schema.ts'
import { say } from '../../shared/said.ts'

export const noDatabaseUpdates = say`This release cannot install databases from an archive, so it accepts none. Nothing was changed.`

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

const maxPackageBytes = 256 * 1024 * 1024

const Version = Type.String({ examples: ['0.2.0'] })
const Time = Type.Integer({ 'x-time': 'unix', description: 'Unix seconds.' })

const Uploaded = strictObject({
  version: Version,
  built_at: Type.Integer({ 'x-time': 'unix', description: 'Unix seconds of the build.' }),
  bytes: Type.Integer(),
  sha256: Type.String(),
  key: Type.String({ description: 'The key that it is signed with.' }),
})

const LastUpgrade = strictObject({
  from: Version,
  to: Version,
  by: oneOf(['gateway', 'root'], 'gateway: asked for with this interface; root: with gw upgrade on the machine.'),
  state: oneOf(
    ['running', 'done', 'returned', 'failed'],
    'returned: the new version did not come up, and the old one is in use again.',
  ),
  step: oneOf(
    ['checking', 'keeping', 'installing', 'starting', 'returning'],
    'What it does now, or did last: check the package, keep the old version and the state, install, start the new version, ' +
      'return to the old one.',
  ),
  message: Type.String({ description: 'How it ended; empty while it runs.' }),
  started_at: Time,
  finished_at: nullable(Time),
})

export const upgradeStatus = endpoint({
  method: 'GET',
  path: '/sysupdate/status',
  access: 'view',
  summary: 'Show the installed version, the uploaded package and the last upgrade',
  description:
    'While an upgrade runs, this interface is away for some seconds: ask again until the state is not running any more.',
  reply: strictObject({
    installed_version: nullable(Version),
    /** Empty when updates can be installed. */
    obstacle: Type.String({ description: 'Why no update can be installed; empty when one can.' }),
    uploaded: nullable(Uploaded),
    last: nullable(LastUpgrade),
    sentences: Type.Optional(Spoken),
  }),
})

export const systemImage = {
  show: endpoint({
    method: 'GET',
    path: '/sysupdate/iso-upload',
    access: 'view',
    summary: 'Show the version of the uploaded package',
    description: 'Null when none is uploaded.',
    reply: strictObject({ uploaded_iso_version: nullable(ImageVersion) }),
  }),
  upload: endpoint({
    method: 'PUT',
    path: '/sysupdate/iso-upload',
    errors: ['conflict', 'unavailable'],
    access: 'configure',
    summary: 'Upload a signed package with another version of the gateway',
    description:
      'A Debian package that is signed with a key which this gateway trusts. It replaces the one that was uploaded before. 422 with ' +
      'the reason when it is no such package, when its signature is missing, broken or of an unknown key, when it is for another ' +
      'architecture, or older than what is installed; ISO images are refused with 422. 409 when this gateway was not installed as a ' +
      'package, or while an upgrade runs.',
    effect: 'action',
    rawBodyType: 'application/octet-stream',
    streamsBody: true,
    bodyLimitBytes: maxPackageBytes,
    tooLargeMessage: say`The file is larger than 256 MB. A package of this gateway is smaller.`,
  }),
  install: endpoint({
    method: 'POST',
    path: '/sysupdate/iso-install',
    errors: ['conflict', 'unavailable'],
    access: 'configure',
    needsFreshSignIn: true,
    summary: 'Install the uploaded package',
    description:
      'Makes a backup, then begins the upgrade and answers; GET /sysupdate/status shows its steps and its result. Traffic is not ' +
      'interrupted. When the new version does not come up, the old one and its state are restored. 409 when nothing is uploaded, ' +
      'when an upgrade is running, or when this gateway was not installed as a package.',
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
  tooLargeMessage: say`The archive is larger than 256 MB. Remove folders of categories that are not used, then upload it again.`,
})

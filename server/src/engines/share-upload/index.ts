// The upload of backups to a share: smbclient, started for one upload at a time, so there is no unit.

import { declareEngine } from '../../core/engine/engine.ts'
import packages from './packages.json' with { type: 'json' }

export const shareUpload = declareEngine({
  service: 'share-upload',
  title: 'upload to a share',
  packages,
  folders: [],
  files: {},
  fileTemplates: {},
  units: {},
  unitTemplates: {},
  ports: {},
  kernel: [],
})

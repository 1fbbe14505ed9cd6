// Uploads to a share have no unit: applyd starts smbclient for each upload, see upload.ts.

import { shareUpload } from '../../../engines/share-upload/index.ts'
import { defineEngine } from '../engine.ts'

export const shareUploadEngine = defineEngine(shareUpload, () => ({ units: {}, unitTemplates: {} }))

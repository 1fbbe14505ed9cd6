// Uploads to a share have no unit: applyd starts smbclient for each upload, see upload.ts.

import { defineEngine } from '../../kit/privileged.ts'
import { shareUpload } from '../index.ts'

export const shareUploadEngine = defineEngine(shareUpload, () => ({ units: {}, unitTemplates: {} }))

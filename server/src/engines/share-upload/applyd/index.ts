// The program is started for an upload (upload.ts); there is no unit.

import { defineEngine } from '../../kit/privileged.ts'
import type { EngineRequest } from '../../kit/requests.ts'
import { shareUpload } from '../index.ts'
import type { ShareUpload } from '../request.ts'
import { createShareUploader, parseShareUpload } from './upload.ts'

export const shareUploadEngine = defineEngine(shareUpload, ({ stateDir, service, accountOf }) => ({
  units: {},
  unitTemplates: {},
  requests: () => {
    const uploader = createShareUploader({ stateDir, service, user: accountOf('portcullis-share-upload') })
    const upload: EngineRequest<ShareUpload> = { parse: parseShareUpload, perform: uploader.upload }
    return { requests: { upload }, close: uploader.stop }
  },
}))

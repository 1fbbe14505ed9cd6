// What runs for the licence, by name. How it is made is in runs.ts.

import { service } from '../../core/area/service.ts'

export const licenceService = service<{
  /** Made once for this installation. */
  readonly installationId: string
  /** The operator's public key for licence tokens (PEM); null leaves every module available. */
  readonly key: string | null
}>('licence')

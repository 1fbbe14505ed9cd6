// What runs for signing in, by name. How it is made is in runs.ts.

import { optionalService } from '../../core/area/service.ts'

/** PEM of the certificate of the management interface; absent without TLS. */
export const managementCertificateService = optionalService<() => string>('management certificate')

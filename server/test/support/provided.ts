// Services by short names, for tests and samples that provide some of them.

import { userSessionsService } from '../../src/areas/authorization/service.ts'
import { uploadsService } from '../../src/areas/backup/service.ts'
import { cardVendorsService, deviceDiscoveryService } from '../../src/areas/device-discovery/service.ts'
import { dhcpLeasesService } from '../../src/areas/dhcp/service.ts'
import { machineLoadService, noticesService } from '../../src/areas/health/service.ts'
import { capturesService, inspectionService } from '../../src/areas/inspection/service.ts'
import { signaturesService } from '../../src/areas/intrusion-prevention/service.ts'
import { licenceService } from '../../src/areas/licence/service.ts'
import { disksService, forwardingService, logServerService } from '../../src/areas/logs/service.ts'
import { textRecordsService } from '../../src/areas/mail/service.ts'
import { classifiedService, flowReportService, trafficService } from '../../src/areas/monitor/service.ts'
import { countriesService, domainsService, namesService } from '../../src/areas/objects/service.ts'
import { codeProviderService } from '../../src/areas/portal/service.ts'
import { managementCertificateService } from '../../src/areas/sign-in/service.ts'
import { upgradesService } from '../../src/areas/updates/service.ts'
import type { Services } from '../../src/core/area/handle.ts'
import type { Offered, Service } from '../../src/core/area/service.ts'
import { type Provided, provide } from '../../src/gatewayd/running.ts'

const byName = {
  userSessions: userSessionsService,
  uploads: uploadsService,
  cardVendors: cardVendorsService,
  deviceDiscovery: deviceDiscoveryService,
  dhcpLeases: dhcpLeasesService,
  machineLoad: machineLoadService,
  notices: noticesService,
  captures: capturesService,
  inspection: inspectionService,
  signatures: signaturesService,
  licence: licenceService,
  disks: disksService,
  forwarding: forwardingService,
  logServer: logServerService,
  textRecords: textRecordsService,
  classified: classifiedService,
  flowReport: flowReportService,
  traffic: trafficService,
  countries: countriesService,
  domains: domainsService,
  names: namesService,
  codeProvider: codeProviderService,
  managementCertificate: managementCertificateService,
  upgrades: upgradesService,
}

export type ProvidedServices = {
  readonly [K in keyof typeof byName]?: Offered<(typeof byName)[K]>
}

export const provided = (services: ProvidedServices): readonly Provided[] =>
  Object.entries(services).map(([name, offers]) =>
    // biome-ignore lint/suspicious/noExplicitAny: a name and its value belong together by the type above
    provide(byName[name as keyof typeof byName] as any, offers),
  )

/** What is a service of these parts, and what is another part. */
export function splitParts<T extends object>(
  parts: T & ProvidedServices,
): {
  readonly services: ProvidedServices
  readonly others: Omit<T, keyof ProvidedServices>
} {
  const entries = Object.entries(parts)
  const isService = ([name]: [string, unknown]): boolean => name in byName
  return {
    services: Object.fromEntries(entries.filter(isService)),
    others: Object.fromEntries(entries.filter((entry) => !isService(entry))) as Omit<T, keyof ProvidedServices>,
  }
}

/** For a gateway that runs: another one in place of a service, or none. */
export function replaceServices(services: Services, replaced: { readonly [K in keyof typeof byName]?: unknown }): void {
  const { of } = services
  const values = new Map<Service<unknown>, unknown>(
    Object.entries(replaced).map(([name, value]) => [byName[name as keyof typeof byName], value]),
  )
  const instead: Services['of'] = <T>(service: Service<T>) =>
    values.has(service) ? (values.get(service) as T) : of(service)
  Object.assign(services, { of: instead })
}

// Endpoints of DKIM and of the antispam and antivirus engine.

import { generateKeyPair } from 'node:crypto'
import { handle, type Route, type Services } from '../../core/area/handle.ts'
import { settingsRoutes } from '../../core/area/routes.ts'
import { invalid } from '../../core/contract/error.ts'
import { read, write } from '../../core/model/slots.ts'
import { say } from '../../shared/said.ts'
import {
  dkimState,
  filterLicence,
  filterLicencePlace,
  filterState,
  general,
  type SigningKey,
  signingKey,
  signingKeyPlace,
} from './config.ts'
import { dkim, filter, filterState as filterSwitch } from './contract-filter.ts'
import { recordName, recordStatus, recordValue } from './dkim.ts'
import { ownDomains, uploadLicence } from './edits.ts'
import { textRecordsService } from './service.ts'

const maxLicenceBytes = 32 * 1024

export const makeSigningKey = (vault: Services['vault']): Promise<SigningKey> =>
  new Promise((resolve, reject) =>
    generateKeyPair('rsa', { modulusLength: 2048 }, (error, publicKey, privateKey) => {
      if (error) return reject(error)
      const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
      resolve({
        public_key: publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
        private_key: vault.seal(pem, signingKeyPlace),
      })
    }),
  )

const lookUp = async (services: Services, name: string) => (await services.of(textRecordsService)?.lookUp(name)) ?? null

const dkimRoutes: readonly Route[] = [
  handle(dkim.show, ({ config }) => read(config, dkimState), { slot: dkimState }),
  handle(dkim.replace, ({ body, change }) => change((config) => write(config, dkimState, body)), { slot: dkimState }),
  handle(dkim.keys, ({ config, services }) => {
    const { key } = read(config, signingKey)
    if (!key) return []
    return Promise.all(
      ownDomains(read(config, general)).map(async (domain) => ({
        domain,
        selector: recordName(domain),
        public_key: recordValue(key.public_key),
        dkim_domain_status: recordStatus(await lookUp(services, recordName(domain)), key.public_key),
      })),
    )
  }),
]

export const filterRoutes: readonly Route[] = [
  ...dkimRoutes,
  ...settingsRoutes(filterSwitch, filterState),
  handle(
    filter.uploadLicence,
    ({ rawBody, change, services }) => {
      if (rawBody.length > maxLicenceBytes)
        throw invalid('body', say`The file is too large: a licence file has at most 32 KiB.`)
      const file = services.vault.seal(rawBody.toString('base64'), filterLicencePlace)
      return change((config) => uploadLicence(config, file))
    },
    { slot: filterLicence },
  ),
  // Only the engine can read its licence, and the engine is not part of this release.
  handle(filter.licence, () => ({ is_active: null, expiration_date: null })),
  handle(filter.lastUpdate, () => ({ last_update: 0 })),
]

// The area of directory integration: which domains the gateway belongs to and which groups follow them. No engine joins or
// synchronizes yet, so it renders nothing.

import { defineArea } from '../../core/area/handle.ts'
import { adDomains, adGroupSettings, adSettings, aldDomains, aldGroupSettings, importSettings } from './config.ts'
import { adDomainList, adRecordList, aldDomainList, aldRecordList } from './lists.ts'
import { routes } from './routes.ts'

export const directory = defineArea({
  name: 'directory',
  slots: [adDomains, aldDomains, adGroupSettings, aldGroupSettings, adSettings, importSettings],
  lists: [adDomainList, aldDomainList, adRecordList, aldRecordList],
  routes,
})

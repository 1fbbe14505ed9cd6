// The one endpoint of the firewall log.

import { handle, type Route } from '../../http/handle.ts'
import { tableReply } from '../../http/routes.ts'
import { firewallLogColumns, listFirewallLog } from './contract.ts'
import { showRecord } from './records.ts'

const defaultPage = 100

export const routes: readonly Route[] = [
  handle(listFirewallLog, async ({ query, services }) => {
    await services.firewallLog.refresh()
    const { limit = defaultPage, offset = 0, format_type, columns, ...filter } = query
    const records = services.firewallLog.list(filter, limit, offset).map(showRecord)
    return tableReply({ ...(format_type && { format_type }), ...(columns && { columns }) }, firewallLogColumns, records)
  }),
]

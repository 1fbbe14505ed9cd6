// The state of every part of the content filter, as its engines tell it.

import { filterStatus } from '@gateway/server/contract/content-filter'
import { antivirusStatus, proxyStatus } from '@gateway/server/contract/web-proxy'
import { read, statusPage } from '../../contract/define.ts'
import { msg } from '../../words.ts'

const shown = {
  everyMs: 5_000,
  columns: [
    { id: 'name', width: 220 },
    { id: 'status', width: 140 },
    { id: 'msg', width: 'rest', title: msg('What it says') },
  ],
} as const

export const page = statusPage({
  reads: [
    read({ endpoint: filterStatus, title: msg('Web filter'), ...shown }),
    read({ endpoint: proxyStatus, title: msg('Web proxy'), ...shown }),
    read({ endpoint: antivirusStatus, title: msg('Web antivirus'), ...shown }),
  ],
})

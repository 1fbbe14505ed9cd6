// A process that keeps the log of a folder with the store of the product, until it is killed.

import { createStoredLogs } from '../support/stored-logs.ts'

const [folder = ''] = process.argv.slice(2)
const logs = createStoredLogs(folder)
logs.onNews((place) => process.send?.(place))
process.on('disconnect', () => process.exit())
process.send?.(0)

// Starts the flow exporter. Wiring only. Arguments: the settings file and the file of the report. SIGHUP: the settings have
// changed. SIGTERM: report what is open, then end.

import { createSocket } from 'node:dgram'
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { uptime } from 'node:os'
import { performance } from 'node:perf_hooks'
import { type FlowFile, parseFlowFile } from '../engines/flow-export/settings-file.ts'
import { Exporter } from './flows/exporter.ts'
import { openKernel, readTimeouts } from './flows/kernel.ts'

const [filePath = '', reportPath = ''] = process.argv.slice(2)
const log = (message: string): void => console.error(message.replaceAll('\n', ' '))

const readSettings = (): FlowFile | string => parseFlowFile(readFileSync(filePath, 'utf8'))

const file = readSettings()
if (typeof file === 'string') throw new Error(`The settings cannot be used. ${file}`)

/** It counts from the start of the process, and is there only while it runs. */
const removeReport = (): void => rmSync(reportPath, { force: true })
removeReport()

const upAtStart = uptime() * 1000 - performance.now()
let isReportFailing = false

const exporter = new Exporter(file, {
  kernel: openKernel(),
  timeouts: () => readTimeouts(),
  moment: () => ({ unixMs: Date.now(), upMs: upAtStart + performance.now() }),
  connect: (address, port) =>
    new Promise((resolve) => {
      const socket = createSocket('udp4')
      socket.connect(port, address, () => resolve(socket))
    }),
  report: (report) => {
    try {
      writeFileSync(`${reportPath}.new`, `${JSON.stringify(report)}\n`, { mode: 0o640 })
      renameSync(`${reportPath}.new`, reportPath)
      isReportFailing = false
    } catch (fault) {
      // A full disk must not end the export.
      if (!isReportFailing) log(`The report cannot be written: ${(fault as Error).message}`)
      isReportFailing = true
    }
  },
})

process.on('SIGHUP', () => {
  const next = readSettings()
  if (typeof next === 'string') return log(`The settings cannot be used, the earlier ones stay. ${next}`)
  exporter.change(next)
})
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => exporter.stop())

await exporter.run()
removeReport()

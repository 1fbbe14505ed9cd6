// Starts the traffic classifier. Wiring only. Arguments: the file of connections and the file of the report. SIGTERM: end.

import { appendFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { copiedBytes, copyGroup } from '../core/plan/classifier.ts'
import { runClassifier } from './classifier/classifier.ts'
import { openCopies } from './classifier/copies.ts'
import { detect } from './classifier/detect.ts'
import { openConnections } from './classifier/open-connections.ts'

const [connectionsPath = '', reportPath = ''] = process.argv.slice(2)
const log = (message: string): void => console.error(message.replaceAll('\n', ' '))

/** They are there only while it runs. */
const remove = (): void => {
  for (const path of [connectionsPath, reportPath]) rmSync(path, { force: true })
}
remove()

// Nothing of it is for others.
process.umask(0o027)
// Traffic, the log and the management come first; what it starts has the same rank.
setPriority(constants.priority.PRIORITY_LOW)

function replace(path: string, text: string): void {
  writeFileSync(`${path}.new`, text, { mode: 0o640 })
  renameSync(`${path}.new`, path)
}

let isFailing = false

/** A full disk must not end it. */
function guarded(write: () => void): void {
  try {
    write()
    isFailing = false
  } catch (fault) {
    if (!isFailing) log(`The results cannot be written: ${(fault as Error).message}`)
    isFailing = true
  }
}

const ending = new AbortController()
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => ending.abort())

const copies = openCopies(copyGroup, copiedBytes)
await runClassifier(
  {
    copies,
    openConnections,
    log,
    detect: (capture) => detect(capture, `${connectionsPath}.answer`),
    write: (lines, isWhole) =>
      guarded(() => {
        const text = lines.map((line) => `${line}\n`).join('')
        if (isWhole) replace(connectionsPath, text)
        else appendFileSync(connectionsPath, text)
      }),
    report: (report) => guarded(() => replace(reportPath, `${JSON.stringify(report)}\n`)),
  },
  ending.signal,
)
copies.close()
remove()

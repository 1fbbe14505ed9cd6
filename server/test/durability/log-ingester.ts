// A process of log-store.test.ts: writes numbered log records and reports what is on the disk. With a fourth argument it waits
// while many are not on the disk yet, so that none is lost.

import { createLocalLogStore } from '../../src/gatewayd/logs/store/local-store.ts'

const [path = '', each = '50', pauseMs = '5', mostAhead = 'Infinity'] = process.argv.slice(2)
const source = (name: string): URL => new URL(`../../src/${name}`, import.meta.url)

const store = createLocalLogStore({
  path,
  limits: { days: {}, maxBytes: 1e9 },
  writerEntry: source('gatewayd/threads/log-writer.ts'),
  workerEntry: source('gatewayd/threads/log-worker.ts'),
  sizes: { block: 512, frame: 128, waiting: 5_000 },
})
const report = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`)

let stored = (await store.state()).place
store.onNews((place) => {
  stored = place
  report({ place })
})
let number = Number((await store.marks()).get('numbers') ?? 0)
report({ began: number })
setInterval(() => {
  if (number - stored > Number(mostAhead)) return
  const records = Array.from({ length: Number(each) }, (_, at) => ({
    kind: at % 3 === 0 ? ('system' as const) : ('firewall' as const),
    time: Date.now() * 1_000,
    priority: 6,
    unit: 'test',
    syslogId: 'test',
    message: `number ${number + at + 1}`,
    fields: at % 3 === 0 ? {} : { source_ip: `10.0.0.${at % 200}`, source_port: number + at },
  }))
  number += records.length
  store.append(records, { source: 'numbers', position: String(number) })
}, Number(pauseMs))
setInterval(async () => {
  const { fault, lost, place } = await store.state()
  report({ state: { fault, lost, place } })
}, 100)

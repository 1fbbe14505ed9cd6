// The trial tool: started by applyd as root in the gateway's network namespace, with a TrialInput as JSON on standard
// input; answers a list of results as JSON. Whatever is wrong is one line on standard error and a status other than 0.

import { text } from 'node:stream/consumers'
import { parseInput } from './input.ts'
import { runTrial } from './trial.ts'

const timeLimitMs = 30_000

function fail(words: string): never {
  process.stderr.write(`${words.replaceAll(/\s+/g, ' ').trim()}\n`)
  process.exit(1)
}

setTimeout(() => fail('The trial did not finish in time.'), timeLimitMs).unref()
try {
  const results = await runTrial(parseInput(await text(process.stdin)))
  process.stdout.write(`${JSON.stringify(results)}\n`)
} catch (fault) {
  fail((fault as Error).message)
}

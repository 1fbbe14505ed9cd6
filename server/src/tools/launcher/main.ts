// Starts the gateway: the outer stage in this process, the inner one behind its walls in another run of this
// same file. Wiring only.

import { adminPasswordVariable, takeSecret } from '../../shared/secret.ts'
import { LaunchFailure } from './failure.ts'
import { type Launch, launchVariable } from './launch.ts'

/** Each process loads its own stage only: both stay for as long as the gateway runs, and memory counts twice. */
async function run(): Promise<number> {
  const launch = process.env[launchVariable]
  if (launch === undefined) return (await import('./outside.ts')).runOutside()
  const { runInside } = await import('./inside.ts')
  return runInside(JSON.parse(launch) as Launch, takeSecret(process.env, adminPasswordVariable))
}

function explain(error: unknown): number {
  if (!(error instanceof LaunchFailure)) throw error
  process.stderr.write(`${error.message}\n`)
  return error.exitCode
}

process.exit(await run().catch(explain))

// A stand-in for the program that tries packets: a packet passes when the script names its destination.

import { text } from 'node:stream/consumers'
import type { TrialInput } from '../trial.ts'

const { script, packets } = JSON.parse(await text(process.stdin)) as TrialInput
const results = packets.map(({ destination }) => ({ passed: script.includes(destination), origins: [] }))
process.stdout.write(JSON.stringify(results))

// What the scripts say: one line for what takes time, one sentence for what went wrong.

export function say(text) {
  process.stdout.write(`${text}\n`)
}

/** A reason to stop, in one sentence. */
export class Stop extends Error {}

/** Runs a script's body and ends the process with its exit code. */
export async function main(body) {
  try {
    process.exitCode = await body()
  } catch (error) {
    if (!(error instanceof Stop)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  }
}

export function seconds(sinceMs) {
  return `${((performance.now() - sinceMs) / 1000).toFixed(1)} s`
}

/** The sentence in which a tool says what is wrong: the first marked line that is more than a code or a path. */
export function findComplaint(output, mark, noise = /^$/) {
  const lines = output.split('\n').filter((line) => mark.test(line))
  const words = lines.map((line) => line.replace(mark, '').trim()).find((line) => line !== '' && !noise.test(line))
  return (words ?? '').replace(/\.$/, '')
}

// The gw command: hands the process to run(). Started by the file `gw` at the top of the repository.

import { createKeyboard } from './keyboard.ts'
import { createTerminal } from './output/terminal.ts'
import { run } from './run.ts'

// A reader that stops early, such as `head`, is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit(0)
})

const terminal = createTerminal(process.stdout, process.stderr, process.env)

process.exitCode = await run(process.argv.slice(2), {
  env: process.env,
  workingDir: process.cwd(),
  terminal,
  keyboard: createKeyboard(process.stdin, terminal.note),
})

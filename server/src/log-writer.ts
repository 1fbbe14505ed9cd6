// The thread that writes the log. Wiring only: what reads a source in the thread is listed here, by its name.

import { followLogFiles, type LogFiles } from './log-sources.ts'
import type { StartFollower } from './runtime/logs/store/messages.ts'
import { serveWriter } from './runtime/logs/store/serve-writer.ts'

const followers: Readonly<Record<string, StartFollower>> = {
  files: (sink, post, start) =>
    start ? followLogFiles(start as LogFiles, sink, (error) => post(String(error))) : noFiles,
}

const noFiles = { stop: () => {} }

serveWriter(followers)

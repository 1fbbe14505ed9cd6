// The thread that writes the log. Wiring only: what reads a source in the thread is listed here, by its name.

import { followLogFiles, type LogFiles } from './log-sources.ts'
import type { FromFiles } from './logs/from-files.ts'
import type { HitNews } from './logs/hit-news.ts'
import { HitKnowledge } from './runtime/logs/sources/hit-knowledge.ts'
import type { Follower, Sink, StartFollower } from './runtime/logs/store/messages.ts'
import { serveWriter } from './runtime/logs/store/serve-writer.ts'

const followers: Readonly<Record<string, StartFollower>> = {
  files: (sink, post, start) => (start ? followFiles(sink, post, start as LogFiles) : noFiles),
}

function followFiles(sink: Sink, post: (message: FromFiles) => void, files: LogFiles): Follower {
  const knowledge = new HitKnowledge()
  const following = followLogFiles(files, knowledge, sink, (error) => post({ is: 'fault', text: String(error) }))
  post({ is: 'begun' })
  return { ...following, take: (news) => knowledge.learn(news as HitNews) }
}

const noFiles = { stop: () => {} }

serveWriter(followers)

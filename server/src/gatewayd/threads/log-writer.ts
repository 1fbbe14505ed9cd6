// The thread that writes the log. Wiring only: what reads a source in the thread is listed here, by its name.

import type { FromFiles } from '../../domain/logs/from-files.ts'
import type { HitNews } from '../../domain/logs/hit-news.ts'
import { followLogFiles, type LogFiles } from '../logs/log-sources.ts'
import { HitKnowledge } from '../logs/sources/hit-knowledge.ts'
import type { Follower, Sink, StartFollower } from '../logs/store/messages.ts'
import { serveWriter } from '../logs/store/serve-writer.ts'

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

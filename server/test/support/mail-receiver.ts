// The mail server of a test as a process in a namespace: keeps every message as a line of JSON. Its settings come on standard input.

import { appendFileSync, readFileSync } from 'node:fs'
import { createSmtpServer } from './smtp-server.ts'

interface ReceiverSettings {
  readonly key: string
  readonly chain: string
  readonly logFile: string
  readonly host: string
  readonly port: number
}

const { key, chain, logFile, host, port } = JSON.parse(readFileSync(0, 'utf8')) as ReceiverSettings

const { server } = createSmtpServer({
  mode: 'starttls',
  tls: { key, cert: chain },
  account: 'gateway:secret word',
  onMail: (mail) => appendFileSync(logFile, `${JSON.stringify(mail)}\n`),
})
server.listen(port, host)

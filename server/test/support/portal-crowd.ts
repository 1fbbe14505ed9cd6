// Many clients of the portal, from a namespace of the lab: each has its own address and one connection, which it keeps. When one
// of them, the person, is no longer captive, each asks once more and all leave. Arguments: the host of the portal, how many,
// the address of the person, and the first two parts of the addresses of the others.

import { Agent, type RequestOptions, request } from 'node:https'
import { setTimeout as pause } from 'node:timers/promises'

const [host = '', many = '', person = '', prefix = ''] = process.argv.slice(2)
/** Handshakes at a time. */
const atOnce = 50
const askMs = 200

interface Answer {
  readonly status: number
  readonly text: string
  readonly isKept: boolean
}

function ask(localAddress: string, path: string, agent: Agent): Promise<Answer> {
  const options: RequestOptions = { host, port: 8446, path, localAddress, agent, rejectUnauthorized: false }
  return new Promise((resolve) => {
    const asked = request(options, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text, isKept: asked.reusedSocket }))
    })
    asked.on('error', ({ message }) => resolve({ status: 0, text: message, isKept: false }))
    asked.end()
  })
}

const clients = Array.from({ length: Number(many) }, (_, index) => ({
  address: `${prefix}.${Math.floor(index / 250)}.${(index % 250) + 1}`,
  agent: new Agent({ keepAlive: true, maxSockets: 1, timeout: 0 }),
}))

async function askAll(path: string): Promise<readonly Answer[]> {
  const answers: Answer[] = []
  for (let at = 0; at < clients.length; at += atOnce)
    answers.push(
      ...(await Promise.all(clients.slice(at, at + atOnce).map(({ address, agent }) => ask(address, path, agent)))),
    )
  return answers
}

const countOf = (answers: readonly Answer[], fits: (answer: Answer) => boolean): number => answers.filter(fits).length

const first = await askAll('/')
const own = new Agent({ keepAlive: true, maxSockets: 1 })
while (!(await ask(person, '/captive-portal/api', own)).text.includes('"captive":false')) await pause(askMs)
const last = await askAll('/captive-portal/api')
console.log(
  JSON.stringify({
    pages: countOf(first, ({ status, text }) => status === 200 && text.includes('name="password"')),
    states: countOf(last, ({ status, text }) => status === 200 && text.includes('"captive":true')),
    kept: countOf(last, ({ isKept }) => isKept),
  }),
)
process.exit(0)

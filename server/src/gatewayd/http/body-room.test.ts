// A client that begins many large bodies and ends none of them does not fill the memory.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { after, before, it } from 'node:test'
import { type Client, createTestGateway, type TestGateway } from '../../../test/support/test-gateway.ts'
import { until } from '../../../test/support/until.ts'

let gateway: TestGateway
let greedy: Client
let other: Client
const sockets: Socket[] = []
before(async () => {
  gateway = await createTestGateway()
  greedy = await gateway.client('predefined_firewall_admin')
  other = await gateway.client('predefined_admin_write')
  await gateway.http.listen({ host: '127.0.0.1', port: 0 })
})
after(async () => {
  for (const socket of sockets) socket.destroy()
  await gateway.close()
})

const framings = ['Content-Length: 16777000', 'Transfer-Encoding: chunked'] as const

/** The headers of a body that does not come; gives what is answered to them. */
async function begin(framing: string, cookie: string): Promise<() => string> {
  const { port } = gateway.http.server.address() as AddressInfo
  const socket = connect(port, '127.0.0.1')
  sockets.push(socket)
  let answer = ''
  socket.on('data', (chunk: Buffer) => {
    answer += chunk.toString('latin1')
  })
  await once(socket, 'connect')
  socket.write(`POST /acl/rules HTTP/1.1\r\nHost: gateway.test\r\nCookie: ${cookie}\r\n${framing}\r\n\r\n`)
  return () => answer
}

for (const framing of framings) {
  it(`large bodies that never end are refused beyond a limit of their sender: ${framing}`, async () => {
    const answers: (() => string)[] = []
    for (let count = 0; count < 12; count++) answers.push(await begin(framing, greedy.cookie))
    await until('what is too much is refused', () => answers.filter((answer) => answer() !== '').length === 4)
    assert.ok(answers.every((answer) => answer() === '' || /^HTTP\/1\.1 503 .*Retry-After: 2/is.test(answer())))
    const values = Array.from({ length: 20_000 }, (_, index) => `11.0.${index >> 8}.${index & 255}`)
    const body = { title: `many, ${framing}`, comment: '', values }
    const stored = await other('POST', '/aliases/ip_address_lists', body)
    assert.equal(stored.status, 200, stored.text)
    for (const socket of sockets) socket.destroy()
    await until('there is room again', async () => (await greedy('POST', '/acl/rules', body)).status !== 503)
  })
}

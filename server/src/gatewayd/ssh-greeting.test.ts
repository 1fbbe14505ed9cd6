// Only what greets as SSH counts as SSH.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { it } from 'node:test'
import { keepSsh } from './ssh-greeting.ts'

it('a port that an attacker holds open is not one of SSH, whatever listens there', async () => {
  const greetings: ((socket: Socket) => void)[] = [
    (socket) => socket.write('SSH-2.0-OpenSSH_9.2\r\n'),
    (socket) => socket.write('220 mail ESMTP\r\n'),
    (socket) => socket.end('SS'),
    (socket) => socket.destroy(),
  ]
  const servers = greetings.map((greet) => createServer(greet).listen(0, '127.0.0.1'))
  await Promise.all(servers.map((server) => once(server, 'listening')))
  const places = servers.map((server) => ({ address: '127.0.0.1', port: (server.address() as AddressInfo).port }))
  assert.deepEqual(await keepSsh(places), places.slice(0, 1))
  for (const server of servers) server.close()
  await Promise.all(servers.map((server) => once(server, 'close')))
  assert.deepEqual(await keepSsh(places), [])
})

// Runs in the internet beside a machine: answers every request with the address that it came from.

import { createServer } from 'node:http'

createServer((request, response) => {
  response.end(`${JSON.stringify({ client: request.socket.remoteAddress })}\n`)
}).listen(80, process.argv[2])

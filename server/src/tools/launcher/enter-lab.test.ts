import assert from 'node:assert/strict'
import { test } from 'node:test'
import { execInLab, parseInterfaces, readLabStatus } from './enter-lab.ts'

/** From `ip -j address` of iproute2 6.1, shortened. */
const recorded = `[{"ifindex":1,"ifname":"lo","flags":["LOOPBACK"],"address":"00:00:00:00:00:00","addr_info":[]},
{"ifindex":2,"link_index":2,"ifname":"lan0","flags":["BROADCAST","MULTICAST","UP","LOWER_UP"],"operstate":"UP",
"address":"02:00:0a:0a:00:02","link_netnsid":0,"addr_info":[
{"family":"inet","local":"10.10.0.2","prefixlen":24,"scope":"global"},
{"family":"inet6","local":"fe80::aff:fe0a:2","prefixlen":64,"scope":"link"}]}]`

test('interfaces are read with their MAC, state and addresses', () => {
  assert.deepEqual(parseInterfaces(recorded), [
    { name: 'lo', mac: '00:00:00:00:00:00', up: false, addresses: [] },
    { name: 'lan0', mac: '02:00:0a:0a:00:02', up: true, addresses: ['10.10.0.2/24', 'fe80::aff:fe0a:2/64'] },
  ])
})

test('without a running gateway there is no status, and a command is refused in a sentence', async () => {
  assert.equal(await readLabStatus('/nonexistent'), null)
  assert.throws(
    () => execInLab('/nonexistent', 'client', ['true']),
    /No gateway runs with the state folder \/nonexistent/,
  )
})

// Run in a namespace of the lab: one passive check as a Zabbix server sends it. Arguments: address, port, key, and the address
// to ask from. Writes the value as JSON, or null when the agent closes the connection without one.

import { connect } from 'node:net'
import { frameOf, readFrame } from './zabbix-frames.ts'

const [host = '', port = '', key = '', localAddress = ''] = process.argv.slice(2)
const socket = connect({ host, port: Number(port), localAddress, timeout: 3000 })
const received: Buffer[] = []
socket.on('connect', () => socket.write(frameOf(key)))
socket.on('data', (data: Buffer) => received.push(data))
socket.on('timeout', () => socket.destroy())
socket.on('error', () => {})
socket.on('close', () => process.stdout.write(`${JSON.stringify(readFrame(Buffer.concat(received)))}\n`))

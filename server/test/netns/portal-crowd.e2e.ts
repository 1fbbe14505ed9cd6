// Many clients hold the portal at the same time, with real packets and the real processes, and a person signs in between them.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { it } from 'node:test'
import { appRoot, runtimePath } from '../../src/tools/launcher/layout.ts'
import { isNightly } from '../load/lab.ts'
import { client, gatewayInside } from '../support/firewall-lab.ts'
import { until } from '../support/until.ts'
import { passed, UserLab, userPassword } from '../support/user-lab.ts'

const count = isNightly ? 2_000 : 500
const home = `https://${gatewayInside}:8446`
const crowdScript = join(appRoot, 'server/test/support/portal-crowd.ts')

it('a person signs in at the portal while many clients hold it, and none of them loses its connection', async () => {
  const lab = await UserLab.start()
  const { gateway } = lab
  await lab.enforce(true, { web_authorization: true })
  const user = await lab.addUser()
  const must = async (namespace: string, ...argv: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await gateway.exec(namespace, argv)
    assert.equal(code, 0, `${argv.join(' ')}: ${stderr}`)
    return stdout
  }
  // Hosts behind a router, which is the client: it answers for all of their addresses.
  await must('client', '/usr/sbin/ip', 'route', 'add', 'local', '10.20.0.0/16', 'dev', 'lo')
  await must('gateway', '/usr/sbin/ip', 'route', 'add', '10.20.0.0/16', 'via', client)
  const curl = (...args: readonly string[]): Promise<string> =>
    must('client', '/usr/bin/curl', '-sk', '-m', '60', '-b', jar, '-c', jar, ...args)
  const jar = join(gateway.stateDir, 'jar')
  await until('the portal answers', async () => {
    const { code } = await gateway.exec('client', ['/usr/bin/curl', '-sk', '-o', '/dev/null', `${home}/`])
    return code === 0
  })

  const crowd = gateway.exec('client', [
    runtimePath(appRoot),
    crowdScript,
    gatewayInside,
    String(count),
    client,
    '10.20',
  ])
  const held = ['/usr/bin/ss', '-Htn', 'state', 'established', 'sport = :8446'] as const
  await until('all are there', async () => (await must('gateway', ...held)).trim().split('\n').length > count)

  const page = await curl(`${home}/`)
  const form = /name="form" value="([^"]+)"/.exec(page)?.[1] ?? ''
  const fields = { form, login: user.login, password: userPassword }
  const sent = Object.entries(fields).flatMap(([name, value]) => ['--data-urlencode', `${name}=${value}`])
  assert.match(await curl('-i', ...sent, `${home}/sign-in`), /^HTTP\/1\.1 303 /)
  assert.match(await curl(`${home}/me`), /You are connected/)
  assert.deepEqual(await lab.wire.ends({ port: 8001 }), passed)

  const { stdout, stderr } = await crowd
  assert.deepEqual(JSON.parse(stdout || '{}'), { pages: count, states: count, kept: count }, stderr)
  await lab.stop()
})

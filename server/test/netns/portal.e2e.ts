// The portal from a client and from outside: it is there for local networks alone, changes without a restart and comes back
// when it dies.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { ApiClient } from '../support/api-client.ts'
import { type LabGateway, startGateway } from '../support/lab-gateway.ts'
import { until } from '../support/until.ts'

const password = 'correct horse 9'
const home = 'https://10.10.0.1:8446/'

describe('the portal of users', () => {
  let gateway: LabGateway
  let api: ApiClient

  before(async () => {
    gateway = await startGateway({ adminPassword: password })
    api = new ApiClient(gateway.address)
    await api.signIn('admin', password)
  })
  after(async () => {
    api.close()
    await gateway.stop()
  })

  const ok = async (method: string, path: string, body?: unknown) => {
    const answer = await api.call(method, path, body)
    assert.equal(answer.status, 200, `${method} ${path}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const curl = async (from: string, ...args: readonly string[]) => {
    const { code, stdout } = await gateway.exec(from, ['curl', '-sk', '-m', '5', ...args])
    return { code, stdout }
  }
  const set = (fields: object) => ok('PATCH', '/user_cabinet_backend/settings', fields)
  const status = async () =>
    ((await ok('GET', '/user_cabinet_backend/status')) as { status: string; msg: string[] }[])[0]
  const isActive = async () => (await status())?.status === 'active'
  const pid = async (): Promise<number> => {
    const { stdout } = await gateway.exec('gateway', ['/usr/bin/ss', '-Hltnp', 'sport = :8446'])
    return Number(/pid=(\d+)/.exec(stdout)?.[1] ?? 0)
  }

  it('does not run until it is needed', async () => {
    assert.equal((await status())?.status, 'inactive')
    assert.notEqual((await curl('client', home)).code, 0)
  })

  it('serves clients, and leads plain HTTP to its page', async () => {
    await set({ enabled: true, title_en: 'Guests & <friends>' })
    await until('it runs', isActive)
    assert.match((await curl('client', home)).stdout, /<header><p>Guests &amp; &lt;friends&gt;<\/p><\/header>/)
    const { stdout } = await curl('client', '-i', '-H', 'Host: www.example.test', 'http://10.10.0.1:8085/a')
    assert.match(stdout, /^HTTP\/1\.1 302 [\s\S]*Location: https:\/\/10\.10\.0\.1:8446\/\?wanted=http%3A%2F%2Fwww/)
  })

  it('is closed to external networks', async () => {
    for (const port of [8085, 8446])
      assert.notEqual((await curl('internet', `http://203.0.113.2:${port}/`)).code, 0, String(port))
  })

  it('shows a new text without a restart, and comes back when it dies', async () => {
    const first = await pid()
    await set({ title_en: 'Another title' })
    await until('the new title is shown', async () => (await curl('client', home)).stdout.includes('Another title'))
    assert.equal(await pid(), first)
    gateway.log.expect(/^error: applyd: portal ended with signal SIGKILL/)
    await gateway.exec('gateway', ['/usr/bin/kill', '-KILL', String(first)])
    await until('another one answers', async () => {
      const { code } = await curl('client', home)
      return code === 0 && ![0, first].includes(await pid())
    })
  })

  it('ends when it is switched off', async () => {
    await set({ enabled: false })
    assert.equal((await status())?.status, 'inactive')
    assert.notEqual((await curl('client', home)).code, 0)
  })
})

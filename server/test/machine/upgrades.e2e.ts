// gw upgrade on booted machines, at night: no packet is lost, and a version that does not come up gives way to the one before.

import assert from 'node:assert/strict'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { after, before, it } from 'node:test'
import { until } from '../support/until.ts'
import { craftedPackages, signingKey } from './crafted-packages.ts'
import * as gateway from './gateway.ts'
import { startPings } from './internet.ts'
import type { Machine } from './machine.ts'
import { describeOnReleases } from './on-releases.ts'
import type { Result } from './processes.ts'
import { rootWith } from './roots.ts'
import { differences, takeSnapshot } from './snapshot.ts'

const upgradeMs = 15 * 60_000

await describeOnReleases('gw upgrade', { isNightly: true, atOnce: 1 }, (suite, built) => {
  let machine: Machine
  before(async () => {
    machine = await gateway.bootRouter(await rootWith(suite, built().dependencies))
    await gateway.install(machine, built().first)
    await gateway.untilServing(machine)
    await gateway.setUp(machine)
    copyFileSync(built().next, machine.path('/var/tmp/next.deb'))
  })
  after(() => machine?.[Symbol.asyncDispose]())

  const upgrade = (): Promise<Result> =>
    machine.run(['gw', 'upgrade', '/var/tmp/next.deb', '--yes'], { timeoutMs: upgradeMs })
  const version = async (): Promise<string> =>
    (await machine.must(['dpkg-query', '--show', 'portcullis'])).trim().split('\t')[1] ?? ''

  it('refuses crafted packages, one right after the other, and changes nothing', async () => {
    const installed = await takeSnapshot(machine)
    const real = readFileSync(built().next)
    for (const [title, file, words] of craftedPackages(real, readFileSync(signingKey, 'utf8'))) {
      writeFileSync(machine.path('/var/tmp/crafted.deb'), file)
      const { code, stdout, stderr } = await machine.run(['gw', 'upgrade', '/var/tmp/crafted.deb', '--yes'], {
        timeoutMs: upgradeMs,
      })
      assert.notEqual(code, 0, title)
      assert.match(`${stdout}${stderr}`, words, title)
      // The end of this one must not be in the way of the next.
      assert.doesNotMatch(`${stdout}${stderr}`, /Another upgrade|without a result/, title)
    }
    assert.equal(await version(), built().firstVersion)
    // The unit of a refused upgrade has failed, and says so.
    const ours = /\/var\/lib\/portcullis|portcullis-upgrade\.service/
    assert.deepEqual(
      differences(installed, await takeSnapshot(machine)).filter((line) => !ours.test(line)),
      [],
    )
    await gateway.assertActive(machine)
  })

  it('returns to the version before when the new one does not come up', async () => {
    const dropIn = '/etc/systemd/system/portcullis-gatewayd.service.d/refuses.conf'
    const isNew = `grep -qF '"${built().nextVersion}"' /usr/lib/portcullis/package.json`
    machine.write(dropIn, `[Service]\nNoExecPaths=\nExecStartPre=+/bin/sh -c "! ${isNew}"\n`)
    await machine.must(['systemctl', 'daemon-reload'])
    const { code, stdout, stderr } = await upgrade()
    assert.notEqual(code, 0, `${stdout}${stderr}`)
    assert.equal(await version(), built().firstVersion)
    await gateway.untilServing(machine)
    await gateway.assertActive(machine)
    await machine.must(['rm', '-r', '/etc/systemd/system/portcullis-gatewayd.service.d'])
    await machine.must(['systemctl', 'daemon-reload'])
  })

  it('installs the new version without the loss of a packet', async () => {
    const engines = await gateway.pidsOf(machine, 'unbound')
    // Where versions before kept them.
    const earlier = '/var/lib/portcullis/gateway/backups'
    const keep = `mkdir -p ${earlier} && echo sealed >${earlier}/earlier.backup`
    await machine.must(['runuser', '-u', 'portcullis', '--', 'sh', '-c', keep])
    const pings = await startPings(machine)
    const { code, stdout, stderr } = await upgrade()
    assert.equal(code, 0, `${stdout}${stderr}`)
    await gateway.untilServing(machine)
    await until('many were sent, however quick it was', () => pings.answers() >= 200)
    const { sent, answered } = await pings.stop()
    assert.equal(answered, sent)
    assert.equal(await version(), built().nextVersion)
    assert.equal(machine.read('/var/lib/portcullis/backups/earlier.backup'), 'sealed\n')
    assert.deepEqual(await gateway.pidsOf(machine, 'unbound'), engines)
  })

  it('refuses an older build of the same version, by what dpkg knows of the installed one', async () => {
    const status = '/var/lib/dpkg/status'
    const known = machine.read(status)
    const later = known.replace(/^(Portcullis-Built: )(\d+)$/m, (_, name, time) => `${name}${Number(time) + 1}`)
    assert.notEqual(later, known)
    machine.write(status, later)
    const { code, stderr } = await upgrade()
    machine.write(status, known)
    assert.notEqual(code, 0)
    assert.match(stderr, /an older build of version/)
  })
})

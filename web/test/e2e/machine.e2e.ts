// Pages about the machine itself: updates with their steps and the time without an answer, settings of the kernel, conflicts.

import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { Upgrades } from '../../../server/src/areas/updates/runs/upgrades.ts'
import { type SaidText, say } from '../../../server/src/shared/said.ts'
import { upgradePlaces } from '../../../server/src/upgrade/places.ts'
import { type UpgradeStatus, writeStatus } from '../../../server/src/upgrade/record.ts'
import { makeKey, packageOf, unsignedPackage } from '../../../server/test/support/update-packages.ts'
import { findBarriers } from '../support/axe.ts'
import { browserSkip, type ConsolePage, TestBrowser } from '../support/browser.ts'
import { type Console, startConsole } from '../support/console.ts'

const signer = makeKey()
const now = Math.floor(Date.now() / 1_000)

describe('pages about the machine', { skip: browserSkip }, () => {
  let console: Console
  let browser: TestBrowser
  let state: string
  let isPackage = true

  before(async () => {
    state = mkdtempSync(join(tmpdir(), 'portcullis-upgrades-'))
    const places = upgradePlaces(state)
    for (const folder of [places.incoming, dirname(places.status)]) mkdirSync(folder)
    const upgrades = new Upgrades({
      places,
      installed: () => (isPackage ? { version: '0.1.0', architecture: 'arm64', built: null, format: 3 } : null),
      keys: () => signer.keys,
      room: () => Number.MAX_SAFE_INTEGER,
      notedPath: join(state, 'noted'),
    })
    console = await startConsole({ parts: { upgrades } })
    browser = await TestBrowser.start()
  })
  after(async () => {
    await browser?.close()
    await console?.close()
    rmSync(state, { recursive: true })
  })

  const open = async (path: string, language: 'en-US' | 'ru-RU' = 'en-US'): Promise<ConsolePage> => {
    const opened = await browser.openAs(console, 'predefined_admin_write', path, { language })
    await opened.page.locator('main h1').waitFor()
    return opened
  }

  /** What root writes while it upgrades. */
  const showUpgrade = (words: Partial<UpgradeStatus>): void =>
    writeStatus(upgradePlaces(state).status, {
      id: 'one',
      from: '0.1.0',
      to: '0.2.0',
      by: 'gateway',
      state: 'running',
      step: 'checking',
      message: '',
      started_at: now,
      finished_at: null,
      ...words,
    })

  const choose = (page: ConsolePage['page'], name: string, buffer: Buffer): Promise<void> =>
    page
      .getByRole('region', { name: 'Update package' })
      .locator('input[type=file]')
      .setInputFiles({ name, mimeType: 'application/octet-stream', buffer })

  it('say why a checkout takes no updates, and offer none', async () => {
    isPackage = false
    await using opened = await open('system/updates')
    const { page } = opened
    await page.getByText('This gateway was not installed as a package').waitFor()
    await page.getByRole('region', { name: 'Archive of databases' }).waitFor()
    assert.equal(await page.getByRole('region', { name: 'Update package' }).count(), 0)
    assert.equal(await page.getByRole('button', { name: /^Install/ }).count(), 0)
    await opened.close()
    isPackage = true
  })

  it('take a package, ask before it is installed, show each step and go on when the gateway is back', async () => {
    isPackage = true
    await using opened = await open('system/updates')
    const { page, log } = opened
    const upload = page.getByRole('region', { name: 'Update package' })
    await page.getByText('No other version is uploaded.').waitFor()
    log.expect(/refused: 422 PUT/)
    await choose(page, 'unsigned.deb', unsignedPackage())
    await upload.getByRole('button', { name: 'Upload' }).click()
    await upload.getByRole('alert').getByText('The package is not signed').waitFor()
    await choose(page, 'portcullis.deb', packageOf(signer.secret))
    await upload.getByRole('alert').waitFor({ state: 'detached' })
    await upload.getByRole('button', { name: 'Upload' }).click()
    await upload.getByText('The package is checked and kept.').waitFor()
    await page.getByRole('region', { name: 'Uploaded package' }).getByText('0.2.0', { exact: true }).waitFor()

    let begun = 0
    console.gateway.applier.beginUpgrade = () => {
      begun++
      return { status: 'started', from: '0.1.0', to: '0.2.0' }
    }
    await page.getByRole('button', { name: 'Install version 0.2.0' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Version 0.1.0 is replaced with 0.2.0.').waitFor()
    assert.deepEqual(await findBarriers(opened), [])
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    assert.equal(begun, 0)
    await page.getByRole('button', { name: 'Install version 0.2.0' }).click()
    await dialog.getByRole('button', { name: 'Install' }).click()
    await page.getByText('The upgrade begins.').waitFor()
    assert.equal(begun, 1)

    showUpgrade({ step: 'installing' })
    const step = page.getByRole('list', { name: 'Steps of the upgrade' }).locator('[aria-current=step]')
    await step.getByText('Install the new version').waitFor()
    assert.equal(await upload.count(), 0)

    // The gateway is replaced: nothing answers for a while, and then another version does.
    log.allow(/failed: \S+ GET/)
    await page.route('**/*', (route) => route.abort('connectionrefused'))
    console.gateway.http.server.closeAllConnections()
    await page.getByText('The gateway is being upgraded and does not answer now.').waitFor()
    assert.equal(await page.getByText('No connection to the gateway').count(), 0)
    await step.getByText('Install the new version').waitFor()
    await step.getByText('Seen last').waitFor()
    const message = say`The gateway was upgraded from ${'0.1.0'} to ${'0.2.0'}.`
    showUpgrade({ state: 'done', step: 'starting', message, finished_at: now + 60 })
    await page.unroute('**/*')
    await page.getByText(message).waitFor()
    await page.getByText('does not answer now').waitFor({ state: 'detached' })
    // What was installed is not offered again, and the page is still that of the version before.
    assert.equal(await page.getByRole('button', { name: 'Install version 0.2.0' }).count(), 0)
    await page.getByRole('button', { name: 'Load the new console' }).waitFor()
    assert.deepEqual(await findBarriers(opened), [])
    await opened.close()
  })

  it('come by themselves when they were opened while the gateway did not answer', async () => {
    await using opened = await open('system/updates')
    const { page, log } = opened
    log.allow(/failed: \S+ GET/)
    await page.route('**/*', (route) => route.abort('connectionrefused'))
    console.gateway.http.server.closeAllConnections()
    await page.getByText('No connection to the gateway').waitFor()
    await page.getByRole('link', { name: 'History' }).click()
    await page.getByRole('heading', { name: 'Updates' }).waitFor({ state: 'detached' })
    assert.equal(await page.getByText('This page broke').count(), 0)
    await page.unroute('**/*')
    await page.getByRole('heading', { level: 1, name: 'History' }).waitFor()
    await opened.close()
  })

  it('say in Russian that the old version is back, and why', async () => {
    const show = (state: UpgradeStatus['state'], message: SaidText): void =>
      showUpgrade({ state, step: 'returning', message, finished_at: now + 60 })
    const [from, to] = ['0.1.0', '0.2.0']
    const missing = say`${say`${'portcullis-gatewayd.service'} is ${'activating'}.`} It was restarted ${20} times.`
    const reason = say`The new version did not come up: ${missing}`
    show('returned', say`Version ${to} was taken back, and ${from} is in use again. ${reason}`)
    await using opened = await open('system/updates', 'ru-RU')
    const { page } = opened
    await page.getByText('Версия 0.2.0 не запустилась, снова используется 0.1.0.').waitFor()
    await page
      .getByText(
        /^Новая версия не запустилась: portcullis-gatewayd\.service: состояние activating\. Число перезапусков: 20\.$/,
      )
      .waitFor()
    const room = say`The disk of ${'/usr'} has too little room: ${500} MB are needed.`
    show('failed', say`Version ${to} was not installed. ${room}`)
    await page.getByText('На диске с /usr мало места: нужно 500 МБ.', { exact: true }).waitFor()
    // What another program said is shown as it is.
    show('failed', say`Version ${to} was not installed. ${'The moon is full.'}`)
    await page.getByText('The moon is full.', { exact: true }).waitFor()
    // As a version before left it: the words are not known, and stay readable.
    const earlier = 'Version 0.2.0 was not installed. The moon is new.'
    const { status } = upgradePlaces(state)
    const { sentences: _, ...written } = JSON.parse(readFileSync(status, 'utf8'))
    writeFileSync(status, JSON.stringify({ ...written, message: earlier }))
    await page.getByText(earlier, { exact: true }).waitFor()
    await opened.close()
  })

  it('say in Russian why a package is refused', async () => {
    await using opened = await open('system/updates', 'ru-RU')
    const { page, log } = opened
    log.allow(/refused: 422 PUT/)
    const upload = page.getByRole('region', { name: 'Пакет обновления' })
    const older = packageOf(signer.secret, { version: '0.0.9' })
    for (const [buffer, words] of [
      [Buffer.from('hello '.repeat(100)), 'Файл не является пакетом обновления: начало файла другое.'],
      [older, 'В пакете версия 0.0.9, а установлена более новая 0.1.0.'],
    ] as const) {
      await upload
        .locator('input[type=file]')
        .setInputFiles({ name: 'portcullis.deb', mimeType: 'application/octet-stream', buffer })
      await upload.getByRole('button', { name: 'Загрузить' }).click()
      await upload.getByRole('alert').getByText(words).waitFor()
    }
    await opened.close()
  })

  it('show settings of the kernel in words, whole and without a bar to pull at', async () => {
    await using opened = await open('network/kernel')
    const { page } = opened
    const row = page
      .getByRole('table', { name: 'Forwarding' })
      .getByRole('row')
      .filter({ hasText: 'Pass packets on between networks' })
    await row.getByText('net.ipv4.ip_forward').waitFor()
    assert.equal(await row.getByRole('cell').first().innerText(), 'on (1)')
    await row.getByText('as wanted').waitFor()
    for (const width of [800, 400]) {
      await page.setViewportSize({ width, height: 800 })
      assert.equal(await opened.overflow(), 0, `at ${width}`)
      assert.equal(await row.getByText('as wanted').isVisible(), true)
    }
    assert.deepEqual(await findBarriers(opened), [])
    await opened.close()
  })

  it('show conflicts with their repairs, in the language of the person, and say when there is none', async () => {
    const { applier } = console.gateway
    applier.foundConflicts = []
    await using opened = await open('overview/conflicts', 'ru-RU')
    const { page } = opened
    await page.getByText('На этой машине ничего не мешает').waitFor()
    applier.foundConflicts = [
      {
        code: 'port.53',
        severity: 'fault',
        title: say`Port ${53} (${'udp'}) is held by ${'dnsmasq.service'}`,
        detail: say`The ${'DNS server'} of the gateway cannot have it, and does not work.`,
        fix: 'systemctl disable --now dnsmasq.service',
      },
    ]
    await page.getByRole('button', { name: 'Посмотреть снова' }).click()
    const found = page.getByRole('region', { name: 'Порт 53 (udp) занят: dnsmasq.service' })
    await found.getByText('DNS-сервер шлюза не может его занять и не работает.').waitFor()
    await found.getByText('systemctl disable --now dnsmasq.service').waitFor()
    assert.deepEqual(await findBarriers(opened), [])
    await opened.close()
  })
})

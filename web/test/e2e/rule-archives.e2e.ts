// Archives of rules: uploaded from a file, checked, shown with the rules that were left out, and removed. And the page of the engine.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { createSignatureFiles } from '../../../server/src/areas/intrusion-prevention/runs/signature-files.ts'
import { type InspectionState, inspectionOff } from '../../../server/src/core/contract/inspection-state.ts'
import { say, verbatim } from '../../../server/src/shared/said.ts'
import { tarOf } from '../../../server/test/support/list-archive.ts'
import { until } from '../../../server/test/support/until.ts'
import { findBarriers } from '../support/axe.ts'
import { browserSkip, type ConsolePage, TestBrowser } from '../support/browser.ts'
import { type Console, startConsole } from '../support/console.ts'

const rule = (sid: number, options = ''): string =>
  `alert tcp any any -> $HOME_NET any (msg:"Rule ${sid}"; ${options}classtype:misc-attack; sid:${sid}; rev:2;)`
const text = [rule(2_000_001), rule(2_000_002, 'lua:x.lua; '), rule(2_000_006, 'content:"refused"; ')].join('\n')

/** Nothing is inspected in this test: what the engine would say of one channel that works and one that does not. */
const inspected: InspectionState = {
  ...inspectionOff,
  state: 'failed',
  message: say`The rules are not in force in channel ${2}.`,
  generation: '0a1b2c3d',
  version: '7.0.10',
  signatures: 1_200,
  rules: 1_260,
  failed: [{ sid: 2_000_009, name: '', reason: 'no such keyword' }],
  failedCount: 1,
  channels: [1, 2].map((number) => ({
    number,
    prevention: '__DEFAULT_IPS_PROFILE_ID__',
    applications: '',
    older: number === 2 ? 3 : null,
    isFailOpen: number === 1,
    ready: true,
    lastTestAt: Math.floor(Date.now() / 1_000),
    lastTestElapsed: 1,
    inForce: number === 1 ? '0a1b2c3d' : null,
    message: number === 1 ? '' : verbatim('The test datagram arrived.'),
  })),
  counters: { 'decoder.pkts': 12_345 },
}

describe('archives of rules', { skip: browserSkip }, () => {
  let console: Console
  let browser: TestBrowser
  /** Pieces behind the first, which is judged twice, wait for it. */
  let gate: PromiseWithResolvers<void> | null = null

  before(async () => {
    const signatures = createSignatureFiles({
      folder: '/nonexistent',
      packageFolders: [],
      starter: '/nonexistent/starter.rules',
      classification: '/nonexistent/classification.config',
      archives: () => console.gateway.signatureIntake.archives.active(),
      refused: () => console.gateway.signatureIntake.verdicts.texts,
    })
    console = await startConsole({
      parts: {
        signatures,
        inspection: { state: () => inspected, rulesByProfile: () => new Map(), facts: () => null, follow: () => {} },
      },
    })
    const { applier, folder } = console.gateway
    let pieces = 0
    applier.checkCandidates = async (id) => {
      if (gate && ++pieces > 2) await gate.promise
      const lines = readFileSync(join(folder, 'candidates', `${id}.rules`), 'utf8').split('\n')
      const faults = lines.flatMap((line, index) =>
        line.includes('refused') ? [{ line: index + 1, message: 'no such thing' }] : [],
      )
      return { status: 'checked', faults }
    }
    browser = await TestBrowser.start()
  })
  after(async () => {
    await browser?.close()
    await console?.close()
  })

  const open = async (path: string): Promise<ConsolePage> => {
    const opened = await browser.open(console, { session: await console.signIn() })
    await opened.visit(path)
    await opened.page.locator('main h1').waitFor()
    return opened
  }

  it('are uploaded, and name the rules that were left out', async () => {
    await using opened = await open('protection/intrusion-prevention/archives')
    const { page } = opened
    await page.getByText('No archive was uploaded yet').waitFor()
    const buffer = tarOf([{ name: 'rules/a.rules', content: text }])
    await page.locator('input[type=file]').setInputFiles({ name: 'open.tar', mimeType: 'application/x-tar', buffer })
    await page.getByRole('button', { name: 'Upload' }).click()
    await page.getByRole('heading', { name: 'open.tar' }).waitFor()
    await page.getByText('In use', { exact: true }).waitFor()
    await page.getByText('2 rules that were left out').click()
    await page.getByText('The option lua is not allowed').waitFor()
    await page.getByText('no such thing').waitFor()
    assert.deepEqual(await findBarriers(opened), [])
    await opened.close()
  })

  it('show how far their check is, and all rules that were left out', async () => {
    gate = Promise.withResolvers()
    await using opened = await open('protection/intrusion-prevention/archives')
    const { page } = opened
    const many = Array.from({ length: 2_500 }, (_, index) =>
      rule(index + 1, index % 10 === 0 ? 'content:"refused"; ' : ''),
    )
    const buffer = Buffer.from(many.join('\n'))
    await page.locator('input[type=file]').setInputFiles({ name: 'large.rules', mimeType: 'text/plain', buffer })
    await page.getByRole('button', { name: 'Upload' }).click()
    await page.getByRole('heading', { name: 'large.rules' }).waitFor()
    await page.getByText('2,000 of 2,500 rules checked, 200 refused').waitFor()
    await page.getByRole('progressbar', { name: 'Progress of the check' }).waitFor()
    gate.resolve()
    const panel = page.locator('section', { has: page.getByRole('heading', { name: 'large.rules' }) })
    await panel.getByText('In use', { exact: true }).waitFor()
    await panel.getByText('250 rules that were left out').click()
    await panel.getByText('Page 1 of 3').waitFor()
    await panel.getByRole('button', { name: 'Next' }).click()
    await panel.getByRole('button', { name: 'Next' }).click()
    await panel.getByText('Page 3 of 3').waitFor()
    await panel.getByRole('cell', { name: '2491' }).first().waitFor()
    const download = page.waitForEvent('download')
    await panel.getByRole('link', { name: 'Download all as CSV' }).click()
    const saved = readFileSync(await (await download).path(), 'utf8')
      .trimEnd()
      .split('\r\n')
    assert.equal(saved.length, 251)
    assert.deepEqual(await findBarriers(opened), [])
    await panel.getByRole('button', { name: 'Remove large.rules' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click()
    await page.getByRole('heading', { name: 'large.rules' }).waitFor({ state: 'detached' })
    await opened.close()
  })

  it('of own signatures are loaded from a file, or all refused lines can be read', async () => {
    await using opened = await open('protection/intrusion-prevention/custom')
    const { page } = opened
    opened.log.allow(/refused: 422 POST \S*\/ips\/custom_rules_file/)
    await page.getByRole('button', { name: 'Load a file' }).click()
    const dialog = page.getByRole('dialog')
    const send = async (content: string): Promise<void> => {
      const buffer = Buffer.from(content)
      await dialog.locator('input[type=file]').setInputFiles({ name: 'own.rules', mimeType: 'text/plain', buffer })
      await dialog.getByRole('button', { name: 'Load', exact: true }).click()
    }
    await send(Array.from({ length: 230 }, (_, index) => rule(index + 1, 'content:"refused"; ')).join('\n'))
    await dialog.getByText('Page 1 of 3').waitFor()
    await dialog.getByRole('button', { name: 'Next' }).click()
    await dialog.getByRole('button', { name: 'Next' }).click()
    await dialog.getByRole('cell', { name: '230' }).first().waitFor()
    assert.deepEqual(await findBarriers(opened), [])
    await send([rule(1), rule(2)].join('\n'))
    await page.getByText('2 signatures were loaded.').waitFor()
    await opened.close()
  })

  it('are removed after a question', async () => {
    await using opened = await open('protection/intrusion-prevention/archives')
    const { page } = opened
    await page.getByRole('button', { name: 'Remove open.tar' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click()
    await page.getByText('No archive was uploaded yet').waitFor()
    await opened.close()
  })

  it('are told by the engine: a profile blocks without it by one switch', async () => {
    const admin = await console.gateway.client('predefined_admin_write')
    await admin('POST', '/ips/profiles', { name: 'Strict', comment: '' })
    await using opened = await open('protection/inspection')
    const { page } = opened
    await page.getByText('1 / 2', { exact: true }).waitFor()
    const channels = page.getByRole('table').nth(1)
    await channels.getByRole('row').nth(1).getByText('In force', { exact: true }).waitFor()
    await channels.getByRole('row').nth(2).getByText('Not in force', { exact: true }).waitFor()
    await page.getByText('no such keyword', { exact: true }).waitFor()
    await page.getByRole('switch', { name: 'Block the traffic of “Strict” without the engine' }).click()
    await until('it is stored', async () =>
      (await admin('GET', '/inspection/profiles')).body.some(
        ({ name, on_failure }: { name: string; on_failure: string }) => name === 'Strict' && on_failure === 'block',
      ),
    )
    assert.deepEqual(await findBarriers(opened), [])
    await opened.close()
  })
})

// Archives of rules: uploaded from a file, checked, shown with the rules that were left out, and removed. And the page of the engine.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { type InspectionState, inspectionOff } from '../../../server/src/contract/inspection.ts'
import { createSignatureFiles } from '../../../server/src/system/signature-files.ts'
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
  ...{
    state: 'failed',
    message: 'The rules are not in force in channel 2.',
    generation: '0a1b2c3d',
    version: '7.0.10',
  },
  ...{ signatures: 1_200, rules: 1_260, failed: [{ sid: 2_000_009, reason: 'no such keyword' }], failedCount: 1 },
  channels: [1, 2].map((number) => ({
    ...{ number, prevention: '__DEFAULT_IPS_PROFILE_ID__', applications: '', older: number === 2 ? 3 : null },
    ...{ isFailOpen: number === 1, ready: true, lastTestAt: Math.floor(Date.now() / 1_000) },
    ...{ inForce: number === 1 ? '0a1b2c3d' : null, message: number === 1 ? '' : 'The test datagram arrived.' },
  })),
  counters: { 'decoder.pkts': 12_345 },
}

describe('archives of rules', { skip: browserSkip }, () => {
  let console: Console
  let browser: TestBrowser

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
      parts: { signatures, inspection: { state: () => inspected, rulesByProfile: () => new Map() } },
    })
    const { applier, folder } = console.gateway
    applier.checkCandidates = (id) => {
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

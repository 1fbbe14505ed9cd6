// The content filter before a real browser that trusts the authority of the gateway: the page of a denied HTTPS site, and an
// allowed page with all its parts.

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { LabBrowser, trustSkip } from '../support/browser.ts'
import { WebLab } from '../support/web-lab.ts'

describe('a browser behind the content filter', { skip: trustSkip }, () => {
  let lab: WebLab
  let browser: LabBrowser
  before(async () => {
    lab = await WebLab.start()
    await lab.filter(true)
    const bad = await lab.addCategory('Games & <i>gambling</i>', ['bad.sites.test', 'part.sites.test'])
    const read = await lab.addCategory('Decrypted', ['read.sites.test', 'read-part.sites.test'])
    await lab.setRules({ categories: [bad], access: 'deny' }, { categories: [read], access: 'bump' })
    browser = await LabBrowser.start(
      lab.gateway,
      'client',
      [],
      [join(lab.folder, 'gateway.pem'), join(lab.folder, 'sites.pem')],
    )
  })
  after(async () => {
    await browser?.close()
    await lab.stop()
  })

  const open = (language: string) => browser.open({ language, acceptsAnyCertificate: false })

  it('sees the page with the categories of a denied site, without any warning', async () => {
    for (const [language, words] of [
      ['en-GB', /Games & <i>gambling<\/i>/],
      ['ru-RU', /Games & <i>gambling<\/i>/],
    ] as const) {
      const page = await open(language)
      for (const scheme of ['https', 'http']) {
        const visit = await page.visit(`${scheme}://bad.sites.test/?type=text/html`)
        assert.deepEqual([visit.status, visit.failure], [403, null], `${scheme} ${language} ${await page.text()}`)
        assert.match(await page.text(), words)
        assert.equal(await page.language(), language.slice(0, 2))
        assert.ok(!(await page.scrollsSideways()))
      }
      const folder = process.env.PORTCULLIS_SCREENSHOTS
      if (folder) writeFileSync(join(folder, `block-page-${language}.png`), await page.screenshot())
      await page.close()
    }
  })

  it('loads an allowed page with all its parts, untouched over HTTP/2 and decrypted', async () => {
    for (const [name, part, version] of [
      ['good', 'good-part', '2.0'],
      ['read', 'read-part', '1.1'],
    ] as const) {
      await lab.forget()
      const parts = Array.from({ length: 6 }, (_none, index) => {
        const script = encodeURIComponent(`document.title += ${index}`)
        return `<script src="https://${index % 2 ? name : part}.sites.test/?type=text/javascript&text=${script}"></script>`
      })
      const text = `<!DOCTYPE html><title>parts</title>${parts.join('')}<p>whole page`
      const page = await open('en')
      const visit = await page.visit(`https://${name}.sites.test/?text=${encodeURIComponent(text)}`)
      assert.deepEqual([visit.status, visit.failure], [200, null], name)
      assert.deepEqual([await page.title(), page.failures, page.errors], ['parts012345', [], []])
      const { requests } = await lab.seen()
      const own = requests.filter(({ path }) => path.includes('text='))
      assert.equal(own.length, 7)
      assert.deepEqual([...new Set(own.map((request) => request.version))], [version])
      await page.close()
    }
  })

  it('shows the rest of a page whose part is denied', async () => {
    const page = await open('en')
    const script = '<script src="https://part.sites.test/x.js"></script>'
    const visit = await page.visit(
      `https://good.sites.test/?text=${encodeURIComponent(`<!DOCTYPE html>${script}<p>the rest`)}`,
    )
    assert.equal(visit.status, 200)
    assert.match(await page.text(), /the rest/)
    await page.close()
    const { names } = await lab.seen()
    assert.equal(names.includes('part.sites.test'), false, 'the site of the part never heard of it')
  })

  it('is warned of a site whose certificate is not good', async () => {
    const page = await open('en')
    for (const name of ['expired', 'self-signed', 'wrong-name']) {
      const { failure } = await page.visit(`https://${name}.sites.test/`)
      assert.match(failure ?? '', /^ERR_CERT_/, name)
    }
    await page.close()
  })
})

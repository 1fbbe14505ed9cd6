// How the console is built: everything below /ui/, nothing inlined, so that the strict policy of its pages holds.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { compileMessage } from '@lingui/message-utils/compileMessage'
import react from '@vitejs/plugin-react'
import PO from 'pofile'
import { defineConfig, type Plugin, type ProxyOptions } from 'vite'
import { servedFiles } from './served-files.ts'

const folder = import.meta.dirname
const messagesModule = /^virtual:messages\/(en|ru)$/

/**
 * All catalogs of a language as one module, compiled, so that no parser of messages reaches the browser. English is the text
 * itself, so only what has something to fill in is compiled.
 */
function messages(): Plugin {
  return {
    name: 'messages',
    resolveId: (id) => (messagesModule.test(id) ? `\0${id}` : null),
    load(id) {
      const language = messagesModule.exec(id.slice(1))?.[1]
      if (language === undefined || !id.startsWith('\0')) return null
      return `export const messages = ${JSON.stringify(readCatalogs(join(folder, 'src/messages'), language))}`
    },
  }
}

/**
 * The order of the layers at the head of each style sheet: the one that is loaded first decides it, and which one that is
 * depends on how the chunks are cut.
 */
function layers(): Plugin {
  return {
    name: 'layers',
    enforce: 'pre',
    transform: (code, id) =>
      /\.css$/.test(id) && code.includes('@layer ') ? { code: `@layer reset, ui;\n${code}`, map: null } : null,
  }
}

function readCatalogs(root: string, language: string): Record<string, unknown> {
  if (!existsSync(root)) return {}
  const files = readdirSync(root).map((name) => join(root, name, 'ru.po'))
  const items = files.filter((file) => existsSync(file)).flatMap((file) => PO.parse(readFileSync(file, 'utf8')).items)
  const texts = items.map(({ msgid, msgstr }): [string, string] => [msgid, msgstr[0] || msgid])
  // What the gateway says, with numbers for its values, is English already.
  const english = texts.filter(([text]) => /\{(?!\d+\})/.test(text)).map(([text]): [string, string] => [text, text])
  const entries = language === 'ru' ? texts : english
  return Object.fromEntries(entries.map(([text, words]) => [text, compileMessage(words)]))
}

/** The gateway that answers the calls of `npm run web:dev`. */
const gateway = process.env.PORTCULLIS_DEV_GATEWAY ?? 'https://127.0.0.1:8443'

/** What a change says about where it comes from must name the gateway, which refuses other origins. */
const proxy: ProxyOptions = {
  target: gateway,
  changeOrigin: true,
  secure: false,
  configure: (server) => {
    server.on('proxyReq', (request) => {
      if (request.hasHeader('origin')) request.setHeader('origin', new URL(gateway).origin)
    })
  },
}

/**
 * Each with everything that it imports and no earlier one has: a few large files are smaller than the hundred that sharing alone
 * would make, and the shell needs one request.
 */
const chunks = ['src/main.tsx', 'src/ui/grid/grid.tsx', 'src/contract/render/form.tsx'].map((file, at) => ({
  name:
    file
      .split('/')
      .at(-1)
      ?.replace(/\.tsx$/, '') ?? file,
  test: (id: string) => id === join(folder, file),
  priority: 10 - at,
}))

// biome-ignore lint/style/noDefaultExport: Vite reads this file
export default defineConfig({
  root: folder,
  base: '/ui/',
  plugins: [react(), layers(), messages(), servedFiles()],
  server: { proxy: { '^/(?!ui(/|$))': proxy } },
  css: { transformer: 'lightningcss' },
  build: {
    outDir: join(folder, 'dist'),
    emptyOutDir: true,
    manifest: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2024',
    rolldownOptions: { output: { codeSplitting: { groups: chunks } } },
  },
})

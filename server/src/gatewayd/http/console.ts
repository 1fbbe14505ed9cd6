// The files of the web console below /ui/. They are built ahead of time, compressed too; only what the list of the build names is
// ever opened, so that no path of a request becomes a path of the disk (decision 72).

import { readFileSync, statSync } from 'node:fs'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { handle } from '../../core/area/handle.ts'
import { endpoint } from '../../core/contract/endpoint.ts'
import { GatewayError } from '../../core/contract/error.ts'
import { say } from '../../shared/said.ts'
import { acceptedBy } from './encoding.ts'
import { etagWith, matchingTag } from './request.ts'

const prefix = '/ui/'
const paths = ['/', '/ui', `${prefix}*`] as const

/** Where `npm run web:build` puts them. */
const builtFolder = new URL('../../../../web/dist/', import.meta.url)

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

/** What the build wrote into files.json: each file that is served, by its name below /ui/. */
interface BuiltFile {
  readonly type: string
  /** Of the plain bytes, which names every version of them. */
  readonly hash: string
  readonly codings: readonly ('br' | 'gzip')[]
}
type BuiltFiles = Readonly<Record<string, BuiltFile>>

const index = 'index.html'
const endings = { br: '.br', gzip: '.gz' } as const

/** Names of files there carry a hash of what is in them. */
const hashed = 'assets/'

/** Read when the first one is asked for, and again when there is another build. Bytes stay: there are few megabytes of them. */
class ConsoleFiles {
  readonly #folder: URL
  #files: ReadonlyMap<string, BuiltFile> = new Map()
  #bytes = new Map<string, Buffer>()
  #readAt: number | null = null

  constructor(folder: URL) {
    this.#folder = folder
  }

  find(name: string): BuiltFile | undefined {
    // Anyone who opens the console gets the newest build; its other files are from the same one.
    if (name === index || this.#readAt === null) this.#refresh()
    return this.#files.get(name)
  }

  #refresh(): void {
    const list = new URL('files.json', this.#folder)
    const changedAt = statSync(list, { throwIfNoEntry: false })?.mtimeMs ?? null
    if (changedAt === this.#readAt) return
    this.#readAt = changedAt
    this.#bytes = new Map()
    this.#files = new Map(
      changedAt === null ? [] : Object.entries(JSON.parse(readFileSync(list, 'utf8')) as BuiltFiles),
    )
  }

  /** `name` is one of the list. */
  bytesOf(name: string, coding: 'br' | 'gzip' | null): Buffer {
    const path = `${name}${coding ? endings[coding] : ''}`
    const known = this.#bytes.get(path)
    if (known) return known
    const bytes = readBuilt(new URL(path, this.#folder))
    this.#bytes.set(path, bytes)
    return bytes
  }
}

/** The file of an earlier build is gone when there is another: the page loads itself again. */
function readBuilt(file: URL): Buffer {
  try {
    return readFileSync(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    throw noSuchFile()
  }
}

const noSuchFile = (): GatewayError => new GatewayError('not_found', say`The console has no such file.`)

/** Public as the sign-in is, and outside the described interface: what is below /ui/ changes with every build. */
const consoleRoute = handle(
  endpoint({ method: 'GET', path: `${prefix}*`, access: 'public', summary: 'The web console', errors: ['not_found'] }),
  () => undefined,
)

export const isConsolePath = (path: string): boolean => path === '/' || path === '/ui' || path.startsWith(prefix)

export function addConsole(app: FastifyInstance, folder = builtFolder): void {
  const files = new ConsoleFiles(folder)
  for (const url of paths) {
    app.route({
      method: 'GET',
      url,
      config: { route: consoleRoute },
      handler: (request, reply) => {
        // The second prefix is for the calls of the interface.
        if (request.originalUrl !== request.url) throw noSuchFile()
        return url === `${prefix}*` ? sendFile(files, nameIn(request), request, reply) : reply.redirect(prefix, 302)
      },
    })
  }
}

const nameIn = ({ params }: FastifyRequest): string => (params as { readonly '*': string })['*']

function sendFile(files: ConsoleFiles, asked: string, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const isFile = asked !== '' && files.find(asked) !== undefined
  if (!isFile && !isPage(asked)) throw noSuchFile()
  const name = isFile ? asked : index
  void reply.header('content-security-policy', policy)
  const file = files.find(name)
  if (!file) return sendNotBuilt(reply)
  void reply.type(file.type)
  void reply.header('cache-control', name.startsWith(hashed) ? 'public, max-age=31536000, immutable' : 'no-cache')
  const { builtCoding } = acceptedBy(request.headers['accept-encoding'])
  const coding = builtCoding !== null && file.codings.includes(builtCoding) ? builtCoding : null
  const tag = `"${file.hash}"`
  const known = matchingTag(request.headers['if-none-match'], tag)
  void reply.header('etag', known ?? (coding ? etagWith(tag, coding) : tag))
  if (known !== null) return reply.code(304).send()
  if (coding) void reply.header('content-encoding', coding)
  return reply.send(files.bytesOf(name, coding))
}

/** Every other path is a page of the console, whose script reads it. */
const isPage = (path: string): boolean =>
  !path.startsWith(hashed) && !path.split(/[/\\]/).some((part) => part === '.' || part === '..')

const notBuilt = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>The console is not built</title>
<h1>The console is not built</h1>
<p>Run <code>npm run web:build</code> in the folder of the gateway, then load this page again. <code>npm start</code> does it too.
<p>The gateway itself works: see <a href="/docs">the reference of its interface</a>.
`
const sendNotBuilt = (reply: FastifyReply): FastifyReply =>
  reply.code(503).type('text/html; charset=utf-8').send(notBuilt)

// Safe search of six services: the parameter that their search pages need, and the hosts to which the proxy adds a header.
// Pure.

/** Squid adds `YouTube-Restrict: Strict` to requests for these hosts and their subdomains while safe search is on. */
export const youtubeHosts: readonly string[] = [
  'youtube.com',
  'youtube-nocookie.com',
  'youtubei.googleapis.com',
  'youtube.googleapis.com',
  'youtu.be',
]
export const youtubeHeader = { name: 'YouTube-Restrict', value: 'Strict' } as const

interface Service {
  readonly hosts: RegExp
  /** Paths, without the query, that show results. */
  readonly paths: RegExp
  readonly parameter: string
  readonly value: string
}

const services: readonly Service[] = [
  {
    hosts: /^(?:(?:www|images|video|news|encrypted)\.)?google\.(?:com|cat|[a-z]{2}|com?\.[a-z]{2})$/,
    paths: /^\/(?:search|images|imgres|videosearch|webhp|)$/,
    parameter: 'safe',
    value: 'active',
  },
  {
    hosts: /^(?:(?:www|[a-z]{2}|cn)\.)?bing\.com$/,
    paths: /^\/(?:[a-z]{1,20}\/)?(?:search|async|asyncv2|infinitepage|results|detail)$/,
    parameter: 'adlt',
    value: 'strict',
  },
  {
    hosts:
      /^(?:(?:www|m|images|video)\.)?(?:yandex\.(?:com|net|ru|by|kz|uz|ua|eu|fr|az|ee|lt|lv|md|tj|tm|com\.[a-z]{2}|co\.[a-z]{2})|ya\.ru)$/,
    paths: /^\/(?:(?:images|video|search|yandsearch|touchsearch|padsearch|msearch)\/?)(?:[a-z]{1,20}\/?){0,3}$/,
    parameter: 'family',
    value: 'yes',
  },
  {
    hosts: /^(?:(?:www|start|html|lite|duck|noai|links)\.)?duckduckgo\.com$/,
    paths: /^\/(?:|html\/?|lite\/?|[a-z]{1,2}\.js|d\.js|i\.js|v\.js)$/,
    parameter: 'kp',
    value: '1',
  },
  {
    hosts: /^(?:[a-z0-9-]{1,30}\.){0,3}search\.yahoo\.(?:com|co\.jp)$/,
    paths: /^\/(?:search|mobile\/s)(?:\/[a-z0-9]{1,20})?$/,
    parameter: 'vm',
    value: 'r',
  },
]

const isYoutube = (host: string): boolean => youtubeHosts.some((name) => host === name || host.endsWith(`.${name}`))

/** Whether the service can only be made safe in a decrypted connection. `host` is in its canonical form. */
export const needsSafeSearch = (host: string): boolean =>
  isYoutube(host) || services.some(({ hosts }) => hosts.test(host))

interface Search {
  readonly host: string
  readonly scheme: 'http' | 'https'
  readonly port: number
  readonly path: string | null
  readonly method: string | null
}

/** Where a search without the safe parameter goes instead; null when nothing has to change. */
export function safeLocation({ host, scheme, port, path, method }: Search): string | null {
  if (path === null || method === 'OPTIONS' || method === 'CONNECT') return null
  const service = services.find(({ hosts }) => hosts.test(host))
  if (!service) return null
  const [whole = ''] = path.split('#', 1)
  const at = whole.indexOf('?')
  const page = at < 0 ? whole : whole.slice(0, at)
  const query = at < 0 ? '' : whole.slice(at + 1)
  if (!service.paths.test(pageOf(page))) return null
  // The front page searches nothing, and a redirection there would be seen at each visit.
  if (page === '/' && query === '') return null
  const { parameter, value } = service
  const parts = query.split('&').filter((part) => part !== '')
  const own = parts.filter((part) => nameOf(part) === parameter)
  if (own.length === 1 && own[0] === `${parameter}=${value}`) return null
  const kept = parts.filter((part) => nameOf(part) !== parameter)
  const isUsual = port === (scheme === 'https' ? 443 : 80)
  const place = `${scheme}://${host}${isUsual ? '' : `:${port}`}${page}`
  return toAscii(`${place}?${[...kept, `${parameter}=${value}`].join('&')}`)
}

/** Several slashes are one for the services. */
const pageOf = (page: string): string =>
  decoded(page)
    .toLowerCase()
    .replaceAll(/\/{2,}/g, '/')

const nameOf = (part: string): string => {
  const end = part.indexOf('=')
  return decoded(end < 0 ? part : part.slice(0, end))
    .toLowerCase()
    .trim()
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** What a header cannot hold is encoded. */
const toAscii = (url: string): string =>
  url.toWellFormed().replaceAll(/[^!-~]/gu, (character) => encodeURIComponent(character))

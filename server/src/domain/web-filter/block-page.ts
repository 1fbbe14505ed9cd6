// The pages that the proxy shows: a denied request, a filter that is down, a certificate of a server that cannot be trusted, a
// virus, and everything else that keeps a page from loading. Templates of Squid: `%` begins a code, so our text has none. Pure.
//
// Squid escapes HTML in `%U %u %H %i %I %M %o %D %E %R %T`; those are the only codes used here. It does not escape
// `@Squid{...}`: notes in it come from filterd alone, which escapes them (pageText in engines/web-filter/ask-line.ts).

export type PageLanguage = 'en' | 'ru'

const style = [
  ':root{color-scheme:light dark;--back:#f3f4f6;--card:#fff;--text:#16191d;--soft:#5b6470;--line:#e2e5e9;--mark:#b42318}',
  '@media(prefers-color-scheme:dark){:root{--back:#101215;--card:#191c20;--text:#eceef1;--soft:#9aa4b1;--line:#2b3037;--mark:#ff8a7d}}',
  '*{box-sizing:border-box}body{margin:0;min-height:100vh;display:grid;place-items:center;padding:1.25rem;background:var(--back);color:var(--text);font:16px/1.55 system-ui,-apple-system,sans-serif}',
  'main{width:min(40rem,calc(100vw - 2.5rem));background:var(--card);border:1px solid var(--line);border-top:4px solid var(--mark);border-radius:12px;padding:1.75rem 2rem;box-shadow:0 8px 30px #0000001a}',
  'h1{margin:0 0 .5rem;font-size:1.5rem;line-height:1.25}p{margin:0 0 1rem}section+section{margin-top:1.5rem;padding-top:1.25rem;border-top:1px solid var(--line)}h2{font-size:1.15rem;margin:0 0 .5rem}',
  'dl{display:grid;grid-template-columns:max-content 1fr;gap:.4rem 1.25rem;margin:1.25rem 0 0}dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}dd:empty::after{content:"\\2014";color:var(--soft)}',
  '.hint{color:var(--soft);font-size:.9rem;margin:1.25rem 0 0}@media(max-width:30rem){dl{grid-template-columns:1fr;gap:.1rem}dd{margin-bottom:.5rem}}',
].join('')

type Fact = readonly [name: string, code: string]

interface Part {
  readonly language: PageLanguage
  readonly title: string
  readonly text: string
  readonly facts: readonly Fact[]
  readonly hint?: string
}

const factsOf = (facts: readonly Fact[]): string =>
  `<dl>${facts.map(([name, code]) => `<dt>${name}</dt><dd>${code}</dd>`).join('')}</dl>`

/** One language, or both in one page where the proxy cannot know which. */
function page(...parts: readonly [Part, ...Part[]]): string {
  const [first] = parts
  const body = parts.map(({ language, title, text, facts, hint }, at) => {
    const heading = at === 0 ? 'h1' : 'h2'
    const end = hint === undefined ? '' : `<p class="hint">${hint}</p>`
    return `<section lang="${language}"><${heading}>${title}</${heading}><p>${text}</p>${factsOf(facts)}${end}</section>`
  })
  return [
    `<!DOCTYPE html><html lang="${first.language}"><head><meta charset="utf-8">`,
    // No script, no address, no form: text and its style.
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">',
    `<meta name="referrer" content="no-referrer"><title>${first.title}</title><style>${escaped(style)}</style></head>`,
    `<body><main>${body.join('')}</main></body></html>`,
    '',
  ].join('\n')
}

/** `%%` is a percent sign of a template. */
const escaped = (text: string): string => text.replaceAll('%', '%%')

const note = (name: string): string => `@Squid{%'{${name}}note}`

const denied: Readonly<Record<PageLanguage, Part>> = {
  en: {
    language: 'en',
    title: 'This site is blocked',
    text: 'The content filter of this network does not allow this page.',
    facts: [
      ['Site', '%H'],
      ['Address', '%U'],
      ['Categories', note('names')],
      ['Rule', note('rule_name')],
      ['User', note('who')],
      ['Your address', '%i'],
      ['Time', '%T'],
    ],
    hint: 'If you need this page for your work, send these lines to the administrator of your network.',
  },
  ru: {
    language: 'ru',
    title: 'Сайт заблокирован',
    text: 'Контент-фильтр этой сети не разрешает эту страницу.',
    facts: [
      ['Сайт', '%H'],
      ['Адрес', '%U'],
      ['Категории', note('names')],
      ['Правило', note('rule_name')],
      ['Пользователь', note('who')],
      ['Ваш адрес', '%i'],
      ['Время', '%T'],
    ],
    hint: 'Если страница нужна вам для работы, передайте эти строки администратору сети.',
  },
}

const factNames = {
  en: { site: 'Site', address: 'Address', time: 'Time', fault: 'Fault', detail: 'Details' },
  ru: { site: 'Сайт', address: 'Адрес', time: 'Время', fault: 'Ошибка', detail: 'Подробности' },
} as const

/** A page in both languages: these errors have no note of the language. */
function both(
  [title, text]: readonly [string, string],
  [russianTitle, russianText]: readonly [string, string],
  facts: readonly (readonly [keyof (typeof factNames)['en'], string])[],
): string {
  const named = (language: PageLanguage): Fact[] => facts.map(([name, code]) => [factNames[language][name], code])
  return page(
    { language: 'en', title, text, facts: named('en') },
    { language: 'ru', title: russianTitle, text: russianText, facts: named('ru') },
  )
}

const site = ['site', '%H'] as const
const address = ['address', '%U'] as const
const time = ['time', '%T'] as const

const down = both(
  [
    'The content filter does not answer',
    'Web pages are blocked until it answers again. Try again in a minute; if this stays, tell the administrator of your network.',
  ],
  [
    'Контент-фильтр не отвечает',
    'Страницы не показываются, пока он не ответит. Попробуйте через минуту; если это не пройдёт, сообщите администратору сети.',
  ],
  [address, time],
)

const inside = both(
  ['The proxy does not lead there', 'Local networks and the gateway itself are not reached through the proxy.'],
  ['Прокси туда не ведёт', 'Локальные сети и сам шлюз через прокси недоступны.'],
  [address, time],
)

/** What is wrong is named, so that no one takes the site for a trusted one. */
const untrusted = both(
  [
    'The connection to this site is not secure',
    'The gateway could not verify the certificate of the site, so nothing was sent to it. Someone may be posing as the site, or its certificate is wrong.',
  ],
  [
    'Соединение с сайтом небезопасно',
    'Шлюз не смог проверить сертификат сайта, поэтому ничего ему не отправил. Возможно, кто-то выдаёт себя за сайт, или его сертификат неверен.',
  ],
  [site, ['fault', '%D'], time],
)

const unreachable = both(
  ['The site cannot be reached', 'The gateway could not connect to the server of this site.'],
  ['Сайт недоступен', 'Шлюз не смог соединиться с сервером этого сайта.'],
  [site, address, ['fault', '%E'], time],
)

const unnamed = both(
  ['The site was not found', 'Its name has no address. Check the spelling.'],
  ['Сайт не найден', 'У этого имени нет адреса. Проверьте, правильно ли оно написано.'],
  [site, time],
)

const unchecked = both(
  [
    'The page could not be checked',
    'The inspection of pages does not answer, so the page is not shown. Try again later.',
  ],
  ['Страницу не удалось проверить', 'Проверка страниц не отвечает, поэтому страница не показана. Попробуйте позже.'],
  [address, time],
)

const invalid = both(
  ['The request is not valid', 'The gateway could not read what the browser sent.'],
  ['Недопустимый запрос', 'Шлюз не смог прочитать то, что отправил браузер.'],
  [time],
)

const failed = both(
  ['The page could not be loaded', 'The gateway could not get it from the server of the site.'],
  ['Страницу не удалось загрузить', 'Шлюз не смог получить её с сервера сайта.'],
  [address, ['fault', '%E'], time],
)

/** For a file in which the antivirus found something, where the page is made by the proxy. */
export const virusPage = both(
  ['A virus was found', 'The antivirus of this network stopped the download.'],
  ['Найден вирус', 'Антивирус этой сети остановил загрузку.'],
  [address, time],
)

/** Of Squid 5 to 7: without a template of that name it shows a page of its own that names the program. */
const others: Readonly<Record<string, readonly string[]>> = {
  [invalid]: [
    'INVALID_REQ',
    'INVALID_URL',
    'UNSUP_REQ',
    'UNSUP_HTTPVERSION',
    'PROTOCOL_UNKNOWN',
    'TOO_BIG',
    'URN_RESOLVE',
    'REQUEST_PARSE_TIMEOUT',
    'REQUEST_START_TIMEOUT',
    'CONFLICT_HOST',
    'SECURE_ACCEPT_FAIL',
  ],
  [unreachable]: [
    'CONNECT_FAIL',
    'CANNOT_FORWARD',
    'FORWARDING_DENIED',
    'SOCKET_FAILURE',
    'GATEWAY_FAILURE',
    'AGENT_CONFIGURE',
  ],
  [unnamed]: ['DNS_FAIL'],
  [untrusted]: ['SECURE_CONNECT_FAIL'],
  [unchecked]: ['ICAP_FAILURE'],
  [inside]: ['ACCESS_DENIED', 'CACHE_ACCESS_DENIED', 'CACHE_MGR_ACCESS_DENIED', 'RELAY_REMOTE'],
  [failed]: [
    'READ_ERROR',
    'READ_TIMEOUT',
    'WRITE_ERROR',
    'ZERO_SIZE_OBJECT',
    'LIFETIME_EXP',
    'INVALID_RESP',
    'SHUTTING_DOWN',
    'PRECONDITION_FAILED',
    'ONLY_IF_CACHED_MISS',
    'NO_RELAY',
    'ESI',
    'DIR_LISTING',
    'CLIENT_GONE',
    'FTP_DISABLED',
    'FTP_UNAVAILABLE',
    'FTP_FAILURE',
    'FTP_PUT_ERROR',
    'FTP_NOT_FOUND',
    'FTP_FORBIDDEN',
    'FTP_PUT_CREATED',
    'FTP_PUT_MODIFIED',
    'ACL_TIME_QUOTA_EXCEEDED',
    'AGENT_WPAD',
  ],
}

/** What `%D` says of a certificate, in both languages; Squid escapes what the certificate says. */
const details: readonly (readonly [name: string, text: string])[] = [
  ['SQUID_X509_V_ERR_DOMAIN_MISMATCH', 'The certificate is for another name. / Сертификат выдан на другое имя.'],
  ['SQUID_X509_V_ERR_INFINITE_VALIDATION', 'The chain of certificates has no end. / Цепочка сертификатов бесконечна.'],
  ['X509_V_ERR_CERT_HAS_EXPIRED', 'The certificate has expired. / Срок действия сертификата истёк.'],
  ['X509_V_ERR_CERT_NOT_YET_VALID', 'The certificate is not valid yet. / Сертификат ещё не действует.'],
  ['X509_V_ERR_CERT_REVOKED', 'The certificate was revoked. / Сертификат отозван.'],
  ['X509_V_ERR_CERT_REJECTED', 'The certificate was rejected. / Сертификат отклонён.'],
  ['X509_V_ERR_CERT_UNTRUSTED', 'The certificate is not trusted. / Сертификату нет доверия.'],
  ['X509_V_ERR_CERT_SIGNATURE_FAILURE', 'The signature of the certificate is wrong. / Подпись сертификата неверна.'],
  ['X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT', 'The certificate is self-signed. / Сертификат подписан самим собой.'],
  ['X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN', 'The authority is not known. / Центр сертификации неизвестен.'],
  ['X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT', 'The authority is not known. / Центр сертификации неизвестен.'],
  ['X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'The authority is not known. / Центр сертификации неизвестен.'],
  ['X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'The authority is not known. / Центр сертификации неизвестен.'],
  ['X509_V_ERR_INVALID_CA', 'The authority may not sign. / Центр не вправе подписывать.'],
  ['X509_V_ERR_INVALID_PURPOSE', 'The certificate is not for servers. / Сертификат не для серверов.'],
]
const errorDetails = [
  ...details.map(([name, text]) => `name: ${name}\ndetail: "%ssl_error_descr (%ssl_subject)"\ndescr: "${text}"\n`),
  ...['SQUID_TLS_ERR_CONNECT', 'SQUID_TLS_ERR_ACCEPT'].map(
    (name) =>
      `name: ${name}\ndetail: "%ssl_error_descr"\ndescr: "The TLS handshake failed. / Соединение TLS не установлено."\n`,
  ),
].join('\n')

/** By the name of the file in the folder of error pages. */
export const errorPages: ReadonlyMap<string, string> = new Map([
  ['ERR_WEB_DENIED_EN', page(denied.en)],
  ['ERR_WEB_DENIED_RU', page(denied.ru)],
  ['ERR_WEB_DOWN', down],
  ['ERR_WEB_INSIDE', inside],
  ['ERR_WEB_VIRUS', virusPage],
  ['error-details.txt', errorDetails],
  ...Object.entries(others).flatMap(([text, names]) => names.map((name) => [`ERR_${name}`, text] as const)),
])

/** As engines/web-filter/error-pages.json has them, which applyd writes into the folder of the proxy; `npm run golden` makes it. */
export const errorPagesText = (): string => {
  const byText = Map.groupBy(errorPages, ([, text]) => text)
  const pages = [...byText].map(([text, files]) => ({ names: files.map(([name]) => name), text }))
  return `${JSON.stringify(pages, null, 2)}\n`
}

// The pages of the proxy: a denied request, a filter that cannot decide, and everything that keeps a page from loading. They
// replace Squid's own, which name the program. Notes of filterd are escaped where they are made; `%U` and the others by Squid.

const style =
  'body{font:16px/1.5 system-ui,sans-serif;margin:0;display:grid;place-items:center;min-height:100vh;background:#f4f5f7;color:#1c2024}' +
  'main{max-width:36rem;margin:1rem;padding:2rem;background:#fff;border-radius:.75rem;box-shadow:0 1px 4px #0002}' +
  'h1{font-size:1.4rem;margin:0 0 1rem}dt{color:#60646c;margin-top:.75rem}dd{margin:0;overflow-wrap:anywhere}' +
  '@media(prefers-color-scheme:dark){body{background:#111;color:#eee}main{background:#1c1c1e}dt{color:#aaa}}'

/** Squid reads `%`, so text of ours has none. */
const page = (language: string, title: string, text: string, facts: readonly (readonly [string, string])[]): string =>
  [
    `<!DOCTYPE html><html lang="${language}"><head><meta charset="utf-8">`,
    '<meta name="viewport" content="width=device-width"><meta name="robots" content="noindex">',
    `<title>${title}</title><style>${style}</style></head><body><main><h1>${title}</h1><p>${text}</p><dl>`,
    ...facts.map(([name, value]) => `<dt>${name}</dt><dd>${value}</dd>`),
    '</dl></main></body></html>\n',
  ].join('\n')

const note = (name: string): string => `@Squid{%{${name}}note}`

const denied = {
  en: page('en', 'Access denied', 'The content filter of this network refuses this page.', [
    ['Address', '%U'],
    ['Categories', note('names')],
    ['Rule', note('rule_name')],
  ]),
  ru: page('ru', 'Доступ запрещён', 'Контент-фильтр этой сети не пропускает эту страницу.', [
    ['Адрес', '%U'],
    ['Категории', note('names')],
    ['Правило', note('rule_name')],
  ]),
}

const failed = page(
  'en',
  'The page could not be loaded',
  'Страницу не удалось загрузить. The gateway could not get it from its server.',
  [
    ['Address', '%U'],
    ['Fault', '%D %E'],
  ],
)

/** What can keep a page from loading. Where Squid has other pages, it shows its own. */
const failures = [
  ...['ACCESS_DENIED', 'CANNOT_FORWARD', 'CONFLICT_HOST', 'CONNECT_FAIL', 'DNS_FAIL', 'FORWARDING_DENIED'],
  ...['GATEWAY_FAILURE', 'ICAP_FAILURE', 'INVALID_REQ', 'INVALID_RESP', 'INVALID_URL', 'LIFETIME_EXP'],
  ...['PROTOCOL_UNKNOWN', 'READ_ERROR', 'READ_TIMEOUT', 'REQUEST_PARSE_TIMEOUT', 'REQUEST_START_TIMEOUT'],
  ...['SECURE_ACCEPT_FAIL', 'SECURE_CONNECT_FAIL', 'SHUTTING_DOWN', 'SOCKET_FAILURE', 'TOO_BIG', 'UNSUP_HTTPVERSION'],
  ...['UNSUP_REQ', 'WRITE_ERROR', 'ZERO_SIZE_OBJECT', 'PRECONDITION_FAILED', 'URN_RESOLVE', 'ESI', 'DIR_LISTING'],
]

export const errorPages: ReadonlyMap<string, string> = new Map([
  ['ERR_WEB_DENIED_EN', denied.en],
  ['ERR_WEB_DENIED_RU', denied.ru],
  [
    'ERR_WEB_DOWN',
    page(
      'en',
      'The content filter does not answer',
      'Контент-фильтр не отвечает, поэтому страница не показана. Web traffic is blocked until it answers again.',
      [['Address', '%U']],
    ),
  ],
  [
    'ERR_WEB_INSIDE',
    page(
      'en',
      'The proxy does not lead there',
      'Прокси не ведёт в локальные сети и к самому шлюзу. Local networks and the gateway itself are not reached through it.',
      [['Address', '%U']],
    ),
  ],
  ...failures.map((name) => [`ERR_${name}`, failed] as const),
])

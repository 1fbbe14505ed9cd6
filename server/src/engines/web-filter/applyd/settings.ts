// The part of squid.conf that no plan decides: programs, folders, and how verdicts of the decision process become answers. The
// plan comes before it and says with ACLs of fixed names what is switched on. Each line was tried against a real Squid
// (docs/decisions/0077-squid-under-the-content-filter.md).

import { askFormat } from '../ask-format.ts'
import { proxyFiles, webPorts } from '../index.ts'
import { directive, format, lines, number, path, pathOption, pattern, type Squid, word, words } from '../squid.ts'
import { accessFormat } from './access-format.ts'
import { bufferKilobytes, limits } from './limits.ts'

export interface ProxyPlaces {
  readonly folder: string
  readonly errors: string
  readonly certificates: string
  readonly askSocket: string
  readonly helper: string
  readonly authorities: readonly string[]
}

const acl = (name: string, text: string): Squid => directive('acl', word(name), ...words(text))
const rules = (name: string, ...texts: readonly string[]): Squid[] =>
  texts.map((text) => directive(name, ...words(text)))

/** Helpers have no need of the right that the proxy has. */
const unprivileged = [path('/usr/bin/setpriv'), ...words('--inh-caps=-all --ambient-caps=-all')]

export const fixedSettings = (places: ProxyPlaces): string =>
  lines([...machine(places), ...questions(places), ...tls(), ...access(), ...replies(), ...blockPeer(), ...privacy()])

function machine({ folder, errors, certificates, authorities }: ProxyPlaces): Squid[] {
  return [
    directive('http_port', word(`127.0.0.1:${webPorts.health}`), word('name=health')),
    directive(
      'sslcrtd_program',
      ...unprivileged,
      word('--'),
      path('/usr/lib/squid/security_file_certgen'),
      word('-s'),
      path(certificates),
      word('-M'),
      word('16MB'),
    ),
    ...rules('sslcrtd_children', '8 startup=1 idle=1'),
    directive('tls_outgoing_options', ...authorities.map((file) => pathOption('cafile', file))),
    directive('pid_filename', word('none')),
    // It stays in the folder that it was started in, because it reads its authority there.
    directive('coredump_dir', path(folder)),
    directive('cache_log', path('/dev/null')),
    directive('error_directory', path(errors)),
    directive('dns_nameservers', word('127.0.0.1')),
    ...rules('cache', 'deny all'),
    ...rules('cache_mem', '8 MB'),
    ...rules('memory_pools', 'off'),
    directive('client_request_buffer_max_size', number(bufferKilobytes), word('KB')),
    ...rules('pinger_enable', 'off'),
    ...rules('shutdown_lifetime', '1 second'),
    ...limits.flatMap(([name, text]) => rules(name, text)),
    // Otherwise a host may be a name with a mark at its end, which no list has and some servers forgive.
    ...rules('check_hostnames', 'on'),
    ...rules('allow_underscore', 'on'),
  ]
}

function questions({ helper, askSocket }: ProxyPlaces): Squid[] {
  // A connection waits for one answer at a time, so the queue is never full: an overload would be no answer, which may pass.
  const type = [...words(`web concurrency=1000 children-max=1 children-startup=1 queue-size=${proxyFiles}`)]
  return [
    directive(
      'external_acl_type',
      ...type,
      ...words('ttl=0 negative_ttl=0 grace=0 cache=0'),
      ...words(askFormat),
      ...unprivileged,
      word('--'),
      path('/usr/bin/perl'),
      path(helper),
      path(askSocket),
    ),
    ...['direct', 'http', 'https', 'health'].map((port) => acl(`via_${port}`, `myportname ${port}`)),
    ...['direct', 'http', 'https'].map((port) => acl(`note_${port}`, `annotate_transaction via=${port}`)),
    ...['TLS', 'REQ', 'REP'].map((stage) => acl(`ask_${stage.toLowerCase()}`, `external web ${stage}`)),
    ...['bump', 'deny', 'down', 'full'].map((verdict) => acl(`tls_${verdict}`, `note v_TLS ${verdict}`)),
    ...['deny', 'redirect', 'wait', 'down', 'full'].map((verdict) => acl(`req_${verdict}`, `note v_REQ ${verdict}`)),
    ...['deny', 'redirect', 'down', 'full'].map((verdict) => acl(`rep_${verdict}`, `note v_REP ${verdict}`)),
    ...['en', 'ru'].map((language) => acl(`page_${language}`, `note page ${language}`)),
    acl('rep_chunked', 'note chunked yes'),
    acl('CONNECT', 'method CONNECT'),
    // It stays with the connection: inside of what was decrypted every request has it, and the one that the proxy makes up for
    // a TLS connection, which comes before the question, never.
    acl('decided', 'note clt_conn_tag'),
    acl('web_urls', 'proto HTTP HTTPS'),
    ...[1, 2].map((step) => acl(`step${step}`, `at_step SslBump${step}`)),
    acl('informational', 'http_status 100-199'),
    directive('acl', ...words('literal dstdom_regex -n'), pattern('^[0-9.]+$'), pattern(':')),
    acl('loopback', 'src 127.0.0.0/8'),
    acl('own_page', 'hier_code HIER_NONE'),
    // A name that leads into a local network or back to the gateway is refused whatever it is called.
    acl('inside', 'dst 0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.168.0.0/16'),
    acl('inside', 'dst 224.0.0.0/3 ::/127 fc00::/7 fe80::/10 ff00::/8'),
    acl('web_ports', 'port 80 443 1024-65535'),
    directive('logformat', word('web'), format(accessFormat)),
    // Otherwise the proxy ends when a line cannot be written: on a full disk at nearly every request.
    directive('access_log', ...words('stdio:/dev/stdout logformat=web on-error=drop logged !via_health !loopback')),
  ]
}

/** `peek` at the second step, because `splice` there compares the name with DNS and breaks connections that differ. */
const tls = (): Squid[] =>
  rules(
    'ssl_bump',
    'peek step1',
    'terminate step2 !ask_tls !fails_open',
    'terminate step2 tls_down !fails_open',
    // Whatever is to happen when it fails: a client may have caused it.
    'terminate step2 tls_full',
    'bump step2 tls_bump',
    'bump step2 tls_deny',
    'peek step2',
    'splice all',
  )

/**
 * The separator gives the colon without which Squid takes the text for the name of a page. As it is (`'`): filterd has escaped
 * what could end a header, and Squid would escape a `#` once more.
 */
const location = "@Squid{%'{loc:,}note}"

function access(): Squid[] {
  return [
    ...rules(
      'deny_info',
      '403:ERR_WEB_INSIDE inside',
      '403:ERR_WEB_INSIDE own',
      '403:ERR_WEB_INSIDE web_ports',
      '403:ERR_WEB_INSIDE clients',
      '403:ERR_WEB_INSIDE via_health',
      '503:ERR_WEB_DOWN all',
      '503:ERR_WEB_DOWN req_full',
      '503:ERR_WEB_DOWN rep_full',
      ...['CONNECT', 'decided', 'web_urls'].map((name) => `403:ERR_WEB_INSIDE ${name}`),
      '403:ERR_WEB_DENIED_RU page_ru',
      '403:ERR_WEB_DENIED_EN req_deny',
      '403:ERR_WEB_DENIED_EN rep_deny',
      `302:${location} req_redirect`,
      `302:${location} rep_redirect`,
    ),
    ...rules(
      'http_access',
      'deny via_health',
      'deny manager',
      'deny !clients',
      // A tunnel inside of what can be read would carry requests that no one is asked about.
      'deny via_http CONNECT',
      'deny CONNECT decided',
      'deny !CONNECT !web_urls',
      // These match always: they note where the request came in.
      ...['direct', 'http', 'https'].map((port) => `deny via_${port} !note_${port}`),
      'deny via_direct !web_ports',
      'deny via_direct own',
      'deny via_direct inside',
      // Who names a host to the direct proxy gets there, whatever the hello says: it is asked about too. Not an address:
      // Squid's own certificate for the page would not be one for an address, that of the block peer is.
      ...['!ask_req !fails_open', 'req_down !fails_open', 'req_full', 'req_deny page_ru', 'req_deny'].map(
        (when) => `deny via_direct CONNECT !literal ${when}`,
      ),
      // What is in a tunnel is asked about when its name is known.
      'allow CONNECT',
      'deny !ask_req !fails_open',
      'deny req_down !fails_open',
      'deny req_full',
      'deny req_redirect',
      'deny req_deny page_ru',
      'deny req_deny',
      'allow all',
    ),
  ]
}

/**
 * A helper cannot be asked about replies 100 to 199: the reply would be refused. A page in place of a reply that has no length
 * is sent in chunks, because that is settled before, and its head would say otherwise.
 */
const replies = (): Squid[] => [
  ...rules(
    'http_reply_access',
    'allow informational',
    'allow !req_wait',
    'deny !ask_rep !fails_open',
    'deny rep_down !fails_open',
    'deny rep_full',
    'deny rep_redirect',
    'deny rep_deny page_ru',
    'deny rep_deny',
    'allow all',
  ),
  ...rules('reply_header_access', 'Content-Length deny rep_chunked'),
  ...rules('reply_header_add', 'Transfer-Encoding chunked rep_chunked'),
]

/** Denied connections go to filterd, which has a certificate for their name: the origin is never contacted. */
const blockPeer = (): Squid[] => [
  directive(
    'cache_peer',
    word('127.0.0.1'),
    word('parent'),
    number(webPorts.blockPeer),
    number(0),
    ...words('no-query no-digest no-netdb-exchange no-tproxy name=block'),
  ),
  ...rules('cache_peer_access', 'block allow tls_deny', 'block deny all'),
  ...rules('never_direct', 'allow tls_deny'),
  ...rules('nonhierarchical_direct', 'off'),
  ...rules('sslproxy_cert_error', 'allow tls_deny', 'deny all'),
  ...rules('sslproxy_cert_sign', 'signTrusted tls_deny'),
  ...rules('sslproxy_cert_adapt', 'setValidAfter tls_deny', 'setValidBefore tls_deny'),
  // Intercepted traffic goes where the client sent it, whatever a name in it says.
  ...rules('client_dst_passthru', 'on'),
  ...rules('http_upgrade_request_protocols', 'websocket allow all'),
]

const privacy = (): Squid[] => [
  ...rules('visible_hostname', 'gateway'),
  ...rules('via', 'off'),
  ...rules('forwarded_for', 'delete'),
  ...rules('httpd_suppress_version_string', 'on'),
  ...rules('reply_header_access', 'X-Cache deny all', 'X-Cache-Lookup deny all', 'X-Squid-Error deny all'),
  // Its pages about a server that does not answer cannot be told from replies of servers, so theirs go too.
  ...rules('reply_header_access', 'Server deny all', 'Mime-Version deny own_page'),
  ...rules('request_header_access', 'YouTube-Restrict deny strict_video'),
  ...rules('request_header_add', 'YouTube-Restrict Strict strict_video'),
]

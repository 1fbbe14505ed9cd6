// Protocols that the engine detects itself, and applications by what they say in HTTP or TLS.

import type { Pattern } from './application.ts'
import { byteProtocols } from './byte-protocols.ts'
import { industrial } from './industrial.ts'
import { byBytes, byDetection, detected, detectedUdp, opens, type Recognised, replies, toTcpPort } from './pattern.ts'

const http = (options: string): Pattern => ({
  protocol: 'http',
  options: `flow:to_server; ${options}`,
  refusal: 'reject',
})
const httpAnswer = (options: string): Pattern => ({
  protocol: 'http',
  options: `flow:to_client; ${options}`,
  refusal: 'reject',
})
/** TLS to the port that is kept for the protocol, or to a server whose name starts with the label. */
const inTls = (port: number, ...labels: readonly string[]): readonly Pattern[] => [
  { protocol: 'tcp', options: `flow:to_server; app-layer-protocol:tls; ${toTcpPort(port)}`, refusal: 'reject' },
  ...labels.map(
    (label): Pattern => ({
      protocol: 'tls',
      refusal: 'reject',
      options: `flow:to_server; tls.sni; content:"${label}."; nocase; startswith;`,
    }),
  ),
]
const ofVersion1 = 'http.protocol; content:"HTTP/1."; startswith;'
const method = (name: string): string => `http.method; content:"${name}"; startswith; endswith;`
const mining = [
  '"mining.subscribe"',
  '"mining.authorize"',
  '"eth_submitLogin"',
  '"method":"login"',
  '"method": "login"',
]
const quoted = (text: string): string => text.replaceAll('"', '|22|').replaceAll(':', '|3a|')

const detections: Readonly<Record<string, Recognised>> = {
  SSH: byDetection(detected('ssh')),
  // The engine takes every line with USER or PASS for FTP: an answer with a code says that it is.
  FTP_CONTROL: byDetection({
    protocol: 'tcp',
    refusal: 'reject',
    options: 'flow:established,to_client; app-layer-protocol:ftp; pcre:"/^[2-5]\\d\\d[ -]/";',
  }),
  FTP_DATA: byDetection(detected('ftp-data')),
  FTPS: byBytes(replies('content:"AUTH TLS"; nocase; startswith;'), replies('content:"AUTH SSL"; nocase; startswith;')),
  TLS: byDetection(detected('tls')),
  // The engine takes a line that starts with `get` for a request of version 0.9.
  // It knows unusual methods as HTTP only when they were answered.
  HTTP: byDetection(
    http(ofVersion1),
    opens('content:" HTTP/1."; pcre:"/^[A-Z_-]{1,32} [^ \\r\\n]{1,4000} HTTP\\/1\\.[01]\\r\\n/";'),
  ),
  HTTP2: byDetection(detected('http2')),
  // The engine counts SMB as DCERPC as well.
  DCERPC: byBytes(opens('content:"|05 00 0b|"; startswith; content:"|10 00 00 00|"; offset:4; depth:4;')),
  IMAPS: byDetection(...inTls(993, 'imap', 'imaps')),
  POPS: byDetection(...inTls(995, 'pop', 'pop3', 'pops')),
  SMTPS: byDetection(...inTls(465, 'smtp', 'smtps')),
  DoH_DoT: byDetection(...inTls(853)),
  DNScrypt: byDetection({
    protocol: 'dns',
    refusal: 'drop',
    options: 'dns.query; content:"2.dnscrypt-cert."; nocase; startswith;',
  }),
  HTTP_Connect: byDetection(http(`${method('CONNECT')} ${ofVersion1}`)),
  HTTP_Proxy: byDetection(http('http.uri.raw; content:"http|3a|//"; nocase; startswith;')),
  WebDAV: byDetection(...['PROPFIND', 'PROPPATCH', 'MKCOL', 'LOCK'].map((name) => http(method(name)))),
  WebSocket: byDetection(http('http.header; content:"upgrade|3a 20|websocket|0d 0a|"; nocase;')),
  SOAP: byDetection(
    http('http.header; content:"soapaction|3a|"; nocase;'),
    http('http.content_type; content:"application/soap+xml"; nocase; startswith;'),
  ),
  'MS-RPCH': byBytes(
    ...['RPC_IN_DATA', 'RPC_OUT_DATA'].map((name) => opens(`content:"${name} "; startswith; content:" HTTP/1.";`)),
  ),
  HLS: byDetection(
    http('http.uri; content:".m3u8"; nocase;'),
    httpAnswer('http.content_type; content:"application/vnd.apple.mpegurl"; nocase; startswith;'),
  ),
  MpegDash: byDetection(
    http('http.uri; content:".mpd"; nocase; endswith;'),
    httpAnswer('http.content_type; content:"application/dash+xml"; nocase; startswith;'),
  ),
  IceCast: byDetection(
    http('http.header; content:"icy-metadata|3a|"; nocase;'),
    httpAnswer('http.header; content:"icy-name|3a|"; nocase;'),
  ),
  OCSP: byDetection(http('http.content_type; content:"application/ocsp-request"; nocase; startswith;')),
  IPP: byDetection(http('http.content_type; content:"application/ipp"; nocase; startswith;')),
  Elasticsearch: byDetection(
    httpAnswer('http.header; content:"x-elastic-product|3a 20|elasticsearch"; nocase;'),
    ...['/_cluster/', '/_cat/', '/_bulk', '/_nodes/'].map((path) => http(`http.uri; content:"${path}"; startswith;`)),
  ),
  'JSON-RPC': byDetection(
    http('http.request_body; content:"|22|jsonrpc|22|"; depth:200;'),
    opens(
      `content:"{"; startswith; content:"|22|jsonrpc|22|"; depth:200; ${mining.map((text) => `content:!"${quoted(text)}";`).join(' ')}`,
    ),
  ),
  Mining: byBytes(...mining.map((text) => opens(`content:"{"; startswith; content:"${quoted(text)}"; depth:200;`))),
  // The certificate of a relay that speaks TLS 1.2, and the handshake of older clients.
  Tor: byDetection(
    {
      protocol: 'tls',
      refusal: 'reject',
      options:
        'flow:to_client; tls.cert_subject; content:"CN=www."; startswith; pcre:"/^CN=www\\.[a-z2-7]{8,20}\\.net$/"; tls.cert_issuer; content:"CN=www."; startswith; pcre:"/^CN=www\\.[a-z2-7]{8,20}\\.com$/";',
    },
    {
      protocol: 'tls',
      refusal: 'reject',
      options: 'flow:to_server; ja3.hash; content:"e7d705a3286e19ea42f587b344ee6865";',
    },
  ),
  // What the engine's own detection gave up on, in the direction to the server: docs/behaviour/application-profiles.md 3.
  Unknown: byDetection(
    { protocol: 'tcp', options: 'flow:to_server; app-layer-protocol:failed;', refusal: 'reject' },
    { protocol: 'udp', options: 'flow:to_server; app-layer-protocol:failed;', refusal: 'drop' },
  ),
}

/** Both the engine's detection and bytes: on the usual ports the first knows more. */
const also: Readonly<Record<string, readonly Pattern[]>> = {
  BitTorrent: [detectedUdp('bittorrent-dht'), http('http.uri; content:"info_hash="; content:"peer_id=";')],
  Git: [http('http.uri; content:"/info/refs?service=git-";')],
  SMTP: [detected('smtp')],
  ClickHouse: [httpAnswer('http.header; content:"x-clickhouse-"; nocase;')],
  VNC: [detected('rfb')],
}

export const protocols: Readonly<Record<string, Recognised>> = {
  ...detections,
  ...industrial,
  ...Object.fromEntries(
    Object.entries(byteProtocols).map(([name, { how, patterns }]) => [
      name,
      { how, patterns: [...patterns, ...(also[name] ?? [])] },
    ]),
  ),
}

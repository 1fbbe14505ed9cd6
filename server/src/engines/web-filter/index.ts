// The web filter: our decision process (filterd) and the web proxy that asks it (Squid). What their files say is of the
// areas content-filter and web-proxy, how they run is in applyd/.

import { declareEngine } from '../../core/engine/engine.ts'
import packages from './packages.json' with { type: 'json' }

/**
 * Clients reach the direct port only, where it is on (it can be changed). `http` and `https` are targets of interception;
 * the others listen on loopback.
 */
export const webPorts = {
  direct: 3128,
  http: 3129,
  https: 3130,
  blockPeer: 3131,
  pageText: 3132,
  antivirus: 3133,
  /** gatewayd asks here whether the proxy answers. */
  health: 3134,
} as const

/** Descriptors of the proxy; more than some machines allow would keep it from starting. */
export const proxyFiles = 16_384

/**
 * Connections of one address to the proxy. Each needs at most two descriptors of it and the buffer of a request: some addresses at once can take
 * all of them, one cannot.
 */
export const proxyShare = 200

/** Below the state folder. */
export const webFilterPaths = {
  /** gatewayd listens, filterd connects. */
  gatewaySocket: 'run/web-filter/gateway.sock',
  /** filterd listens: the helper of the proxy asks it, applyd has it read its files again. */
  askSocket: 'run/web-filter-ask/ask.sock',
  controlSocket: 'run/web-filter-ask/control.sock',
  /** gatewayd writes the index of categories, filterd reads it. */
  categories: 'web-filter/categories',
  uploads: 'web-filter/uploads',
  /** Lists that the operator puts there: `<folder>/{domains,urls}`. */
  lists: 'web-filter/lists',
  /** The proxy writes a line for each request, the thread of the log reads it. */
  accessLog: 'log/web-access.log',
} as const

const filterGroup = 'portcullis-web-filter'
const proxyGroup = 'portcullis-web-proxy'

export const webFilter = declareEngine({
  service: 'web-filter',
  title: 'content filter',
  packages,
  folders: [
    // gatewayd reaches the folders in it, but no file.
    { path: 'web-filter', mode: 0o751, group: filterGroup },
    { path: webFilterPaths.categories, mode: 0o2750, owner: 'portcullis', group: filterGroup },
    { path: webFilterPaths.uploads, mode: 0o700, owner: 'portcullis' },
    { path: webFilterPaths.lists, mode: 0o755 },
    // Set-gid: the socket of gatewayd belongs to the group of filterd, those of filterd to the group of the proxy.
    { path: 'run/web-filter', mode: 0o2710, owner: 'portcullis', group: filterGroup },
    { path: 'run/web-filter-ask', mode: 0o2710, owner: 'portcullis-web-filter', group: proxyGroup },
    { path: 'web-proxy', mode: 0o750, group: proxyGroup },
    { path: 'web-proxy/errors', mode: 0o750, group: proxyGroup },
    // The certificates that it made.
    { path: 'web-proxy/kept', mode: 0o700, owner: 'portcullis-web-proxy' },
  ],
  files: {
    'web-policy.json': { path: 'web-filter/policy.json', mode: 0o640, group: filterGroup },
    'web-user-categories.txt': { path: 'web-filter/user-categories.txt', mode: 0o640, group: filterGroup },
    'web-dictionaries.json': { path: 'web-filter/dictionaries.json', mode: 0o640, group: filterGroup },
    'squid.conf': { path: 'web-proxy/squid.conf', mode: 0o640, group: proxyGroup },
    // Certificate and key.
    'web-authority.pem': { path: 'web-proxy/authority.pem', mode: 0o640, group: proxyGroup },
  },
  fileTemplates: {},
  units: {
    'web-filter': { log: { form: 'plain', syslogId: 'filterd', unit: '{brand}-content-filter-backend' } },
    'web-filter-proxy': {
      log: { form: 'plain', syslogId: 'squid', unit: '{brand}-proxy-backend' },
      output: {
        path: webFilterPaths.accessLog,
        owner: 'portcullis-web-proxy',
        group: 'service',
        mode: 0o640,
        maxBytes: 64 * 1024 * 1024,
      },
    },
  },
  unitTemplates: {},
  ports: {
    direct: {
      name: 'web_proxy',
      networks: 'served',
      way: 'input',
      protocol: 'tcp',
      sourcePort: null,
      destinationPort: webPorts.direct,
    },
  },
  innerPorts: Object.values(webPorts),
  kernel: [],
})

// The part of suricata.yaml that no plan decides: folders, sockets, outputs, how packets are taken and what is recognised in
// them. It goes on where engines/inspection/suricata-yaml.ts ends. Each setting was tried against Suricata 7 (decision 81).

import { inspection } from '../../../core/plan/inspection-marks.ts'

export interface InspectionPlaces {
  /** The engine's own folder, with its copy of the rules. */
  readonly work: string
  readonly rulesFile: string
  readonly captures: string
  readonly commandSocket: string
}

/** Of the rules that are published for Suricata; without a group that a signature names, it is refused. */
const servers = ['HTTP', 'SMTP', 'SQL', 'DNS', 'TELNET', 'AIM', 'DC']
const devices = ['DNP3_SERVER', 'DNP3_CLIENT', 'MODBUS_CLIENT', 'MODBUS_SERVER', 'ENIP_CLIENT', 'ENIP_SERVER']
const ports: Readonly<Record<string, string>> = {
  HTTP_PORTS: '80',
  SHELLCODE_PORTS: '!80',
  ORACLE_PORTS: '1521',
  SSH_PORTS: '22',
  DNP3_PORTS: '20000',
  MODBUS_PORTS: '502',
  FILE_DATA_PORTS: '[$HTTP_PORTS,110,143]',
  FTP_PORTS: '21',
  GENEVE_PORTS: '6081',
  VXLAN_PORTS: '4789',
  TEREDO_PORTS: '3544',
}

/** Found by what they say, on every port. */
const byPattern = [
  'http2',
  'ftp',
  'smtp',
  'ssh',
  'smb',
  'dcerpc',
  'rfb',
  'bittorrent-dht',
  'krb5',
  'ike',
  'ntp',
  'snmp',
  'dhcp',
  'nfs',
  'tftp',
  'telnet',
]

const quoted = (path: string): string => {
  if (!/^\/[A-Za-z0-9_./+@ -]{1,1000}$/.test(path)) throw new Error(`not a path for Suricata: ${JSON.stringify(path)}`)
  return `"${path}"`
}

export const fixedSettings = (places: InspectionPlaces): string =>
  [...groups(), ...machine(places), ...outputs(places), ...protocols(), ...limits(), ''].join('\n')

/** For a check of signatures: it writes no events and listens nowhere. */
export const checkingSettings = (places: InspectionPlaces): string =>
  [...groups(), ...machine(places, false), ...logging, ...protocols(), ...limits(), ''].join('\n')

const groups = (): string[] => [
  '    EXTERNAL_NET: "!$HOME_NET"',
  ...[...servers.map((name) => `${name}_SERVERS`), ...devices].map((name) => `    ${name}: "$HOME_NET"`),
  '  port-groups:',
  ...Object.entries(ports).map(([name, value]) => `    ${name}: "${value}"`),
]

function machine({ work, rulesFile, commandSocket }: InspectionPlaces, listens = true): string[] {
  const mark = `bypass-mark: ${inspection.doneMark}, bypass-mask: ${inspection.doneMark}`
  return [
    `default-log-dir: ${quoted(work)}`,
    `default-rule-path: ${quoted(work)}`,
    `rule-files: [ ${quoted(rulesFile)} ]`,
    'classification-file: /etc/suricata/classification.config',
    'reference-config-file: /etc/suricata/reference.config',
    `unix-command: { enabled: ${listens ? 'yes' : 'no'}, filename: ${quoted(commandSocket)} }`,
    // A rule cannot bring a program with it. The number of threads is limited from outside, for what follows a start too.
    'security: { lua: { allow-rules: false }, limit-noproc: false, landlock: { enabled: no } }',
    'datasets: { rules: { allow-write: false, allow-absolute-filenames: false } }',
    // The rules that note the channel are alerts, and come before those that ask for it.
    'action-order: [ pass, alert, drop, reject ]',
    // What passes when a queue is full is decided by channel (queue-flow.ts). A connection that needs no more looks is handed back by its mark.
    `nfq: { mode: accept, fail-open: no, ${mark} }`,
    'max-pending-packets: 2048',
    // Encrypted connections are handed back; without a depth nothing else is, however much is sent before an attack.
    'stream: { memcap: 128mb, checksum-validation: no, midstream: true, midstream-policy: ignore, inline: auto, bypass: true, reassembly: { memcap: 256mb, depth: 0 } }',
    'flow: { memcap: 128mb, hash-size: 65536, prealloc: 4096 }',
    'defrag: { memcap: 32mb, hash-size: 65536, trackers: 65535, max-frags: 65535 }',
    // What is inside has no channel: taken apart no signature would be found in it, as a datagram it is looked at as a whole.
    'decoder: { teredo: { enabled: no }, vxlan: { enabled: no }, geneve: { enabled: no } }',
    // Checksums of packets that this machine sends are filled in later.
    'capture: { checksum-validation: none }',
    'host-mode: auto',
  ]
}

const logging = ['logging: { default-log-level: notice, outputs: [ { console: { enabled: yes } } ] }']

/** Words for the log go to standard output, which the start script has made the log; events to descriptor 3, see there. */
const outputs = ({ captures }: InspectionPlaces): string[] => [
  ...logging,
  'stats: { enabled: yes, interval: 30 }',
  'outputs:',
  '  - eve-log:',
  '      enabled: yes',
  '      filetype: regular',
  '      filename: /dev/fd/3',
  '      metadata: yes',
  '      pcap-file: false',
  '      community-id: false',
  '      types:',
  '        - alert: { payload: yes, payload-buffer-size: 4kb, payload-printable: yes, packet: yes, metadata: yes, http-body: no, tagged-packets: no }',
  '  - pcap-log:',
  '      enabled: yes',
  '      mode: normal',
  '      conditional: alerts',
  `      dir: ${quoted(captures)}`,
  '      filename: alerts.pcap',
  '      limit: 8mb',
  '      max-files: 8',
  '      use-stream-depth: no',
  '      honor-pass-rules: no',
]

/**
 * Port 0 is every port. Three never get it: MQTT would take mail and unknown traffic for its own, QUIC two of three random
 * datagrams and calls, and DNS what starts like RDP, LDAP, DTLS or NTP, whose bytes no signature would then look at (seen).
 */
const protocols = (): string[] => [
  'app-layer:',
  // What it cannot read is not refused without a word: signatures decide.
  '  error-policy: ignore',
  '  protocols:',
  '    tls: { enabled: yes, detection-ports: { dp: 443 }, ja3-fingerprints: yes, ja4-fingerprints: yes, encryption-handling: bypass }',
  // Without limits of ours only the first 4,096 bytes of a body are looked at, and a request with a line of more than 18,432 not at all. Servers
  // take lines of up to a megabyte.
  '    http: { enabled: yes, libhtp: { default-config: { personality: IDS, request-body-limit: 0, response-body-limit: 100kb, meta-field-limit: 1mb } } }',
  '    imap: { enabled: detection-only }',
  '    mqtt: { enabled: yes }',
  '    dns: { tcp: { enabled: yes, detection-ports: { dp: 53 } }, udp: { enabled: yes, detection-ports: { dp: "[53,5353]" } } }',
  '    quic: { enabled: yes, detection-ports: { dp: "[443,80,4433,8443]" } }',
  ...['sip', 'rdp', 'pgsql'].map((name) => `    ${name}: { enabled: yes, detection-ports: { dp: 0 } }`),
  ...byPattern.map((name) => `    ${name}: { enabled: yes }`),
  // On their own ports only, for the signatures that name them.
  '    modbus: { enabled: yes, detection-ports: { dp: 502 } }',
  '    dnp3: { enabled: yes, detection-ports: { dp: 20000 } }',
  '    enip: { enabled: yes, detection-ports: { dp: 44818 } }',
]

const limits = (): string[] => [
  // One packet can match a signature of every channel and those that note its channel.
  'packet-alert-max: 64',
  'detect: { profile: medium, sgh-mpm-context: auto, inspection-recursion-limit: 3000 }',
  'pcre: { match-limit: 3500, match-limit-recursion: 1500 }',
  'mpm-algo: auto',
  'spm-algo: auto',
  'host: { hash-size: 4096, prealloc: 1000, memcap: 32mb }',
  'engine-analysis: { rules-fast-pattern: no, rules: no }',
]

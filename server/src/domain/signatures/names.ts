// Names of signature groups (classtypes) and of MITRE ATT&CK tactics. Groups have the names of
// docs/behaviour/signatures.md 3; other groups have the names of Suricata's own classification.config.

import { none } from './rule.ts'

/** Enterprise tactics in the order of the matrix. */
export const tacticNames: ReadonlyMap<string, string> = new Map([
  ['TA0043', 'Reconnaissance'],
  ['TA0042', 'Resource Development'],
  ['TA0001', 'Initial Access'],
  ['TA0002', 'Execution'],
  ['TA0003', 'Persistence'],
  ['TA0004', 'Privilege Escalation'],
  ['TA0005', 'Defense Evasion'],
  ['TA0006', 'Credential Access'],
  ['TA0007', 'Discovery'],
  ['TA0008', 'Lateral Movement'],
  ['TA0009', 'Collection'],
  ['TA0011', 'Command and Control'],
  ['TA0010', 'Exfiltration'],
  ['TA0040', 'Impact'],
  [none, 'Without a tactic'],
])

export const nameOfTactic = (id: string): string => tacticNames.get(id) ?? id

const classtypeForm = /^\s*config\s+classification\s*:\s*([A-Za-z0-9_-]+)\s*,\s*([^,]+?)\s*,\s*(\d+)\s*$/

/** Names by classtype from the text of a classification.config; lines of another form are passed over. */
export function parseClassification(text: string): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  for (const line of text.split('\n')) {
    const [, classtype, name] = classtypeForm.exec(line) ?? []
    if (classtype !== undefined && name !== undefined) names.set(classtype, name)
  }
  return names
}

/** The groups of Suricata 7, always known, so that a rule never depends on a file being there. */
export const classtypeNames: ReadonlyMap<string, string> = new Map([
  ['not-suspicious', 'Not Suspicious Traffic'],
  ['unknown', 'Unknown traffic'],
  ['bad-unknown', 'Potentially dangerous traffic'],
  ['attempted-recon', 'Attempts to read system files'],
  ['successful-recon-limited', 'Information leaks'],
  ['successful-recon-largescale', 'Large information leaks'],
  ['attempted-dos', 'Denial-of-service attempts'],
  ['successful-dos', 'Denial of Service'],
  ['attempted-user', 'Attempts at user rights'],
  ['unsuccessful-user', 'Failed attempts at user rights'],
  ['successful-user', 'User rights gained'],
  ['attempted-admin', 'Attempts at administrator rights'],
  ['successful-admin', 'Administrator rights gained'],
  ['rpc-portmap-decode', 'Suspicious RPC requests'],
  ['shellcode-detect', 'Execution of code'],
  ['string-detect', 'A suspicious string was detected'],
  ['suspicious-filename-detect', 'Suspicious file access'],
  ['suspicious-login', 'Login with a suspicious name'],
  ['system-call-detect', 'Suspicious commands'],
  ['tcp-connection', 'A TCP connection was detected'],
  ['trojan-activity', 'Trojan activity'],
  ['unusual-client-port-connection', 'Misuse of standard ports'],
  ['network-scan', 'Network scanning'],
  ['denial-of-service', 'Detection of a Denial of Service Attack'],
  ['non-standard-protocol', 'Violations of protocol standards'],
  ['protocol-command-decode', 'Protocol errors'],
  ['web-application-activity', 'access to a potentially vulnerable web application'],
  ['web-application-attack', 'Web Application Attack'],
  ['misc-activity', 'Suspicious network activity'],
  ['misc-attack', 'Attacks'],
  ['icmp-event', 'Generic ICMP event'],
  ['inappropriate-content', 'Inappropriate Content was Detected'],
  ['policy-violation', 'Requests to compromised resources'],
  ['default-login-attempt', 'Default credentials'],
  ['targeted-activity', 'Targeted malware'],
  ['exploit-kit', 'Exploits'],
  ['external-ip-check', 'Lookup of the external address'],
  ['domain-c2', 'DNS used to control malware'],
  ['pup-activity', 'Unwanted software'],
  ['credential-theft', 'Successful credential theft'],
  ['social-engineering', 'Social engineering'],
  ['coin-mining', 'Cryptocurrency mining pools'],
  ['command-and-control', 'Malware control'],
  [none, 'Without a class'],
])

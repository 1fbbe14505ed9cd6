// Names of signature groups (classtypes) and of MITRE ATT&CK tactics. The names of groups are those of Suricata's own
// classification.config; a file of that format adds or renames.

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
  ['unknown', 'Unknown Traffic'],
  ['bad-unknown', 'Potentially Bad Traffic'],
  ['attempted-recon', 'Attempted Information Leak'],
  ['successful-recon-limited', 'Information Leak'],
  ['successful-recon-largescale', 'Large Scale Information Leak'],
  ['attempted-dos', 'Attempted Denial of Service'],
  ['successful-dos', 'Denial of Service'],
  ['attempted-user', 'Attempted User Privilege Gain'],
  ['unsuccessful-user', 'Unsuccessful User Privilege Gain'],
  ['successful-user', 'Successful User Privilege Gain'],
  ['attempted-admin', 'Attempted Administrator Privilege Gain'],
  ['successful-admin', 'Successful Administrator Privilege Gain'],
  ['rpc-portmap-decode', 'Decode of an RPC Query'],
  ['shellcode-detect', 'Executable code was detected'],
  ['string-detect', 'A suspicious string was detected'],
  ['suspicious-filename-detect', 'A suspicious filename was detected'],
  ['suspicious-login', 'An attempted login using a suspicious username was detected'],
  ['system-call-detect', 'A system call was detected'],
  ['tcp-connection', 'A TCP connection was detected'],
  ['trojan-activity', 'A Network Trojan was detected'],
  ['unusual-client-port-connection', 'A client was using an unusual port'],
  ['network-scan', 'Detection of a Network Scan'],
  ['denial-of-service', 'Detection of a Denial of Service Attack'],
  ['non-standard-protocol', 'Detection of a non-standard protocol or event'],
  ['protocol-command-decode', 'Generic Protocol Command Decode'],
  ['web-application-activity', 'access to a potentially vulnerable web application'],
  ['web-application-attack', 'Web Application Attack'],
  ['misc-activity', 'Misc activity'],
  ['misc-attack', 'Misc Attack'],
  ['icmp-event', 'Generic ICMP event'],
  ['inappropriate-content', 'Inappropriate Content was Detected'],
  ['policy-violation', 'Potential Corporate Privacy Violation'],
  ['default-login-attempt', 'Attempt to login by a default username and password'],
  ['targeted-activity', 'Targeted Malicious Activity was Detected'],
  ['exploit-kit', 'Exploit Kit Activity Detected'],
  ['external-ip-check', 'Device Retrieving External IP Address Detected'],
  ['domain-c2', 'Domain Observed Used for C2 Detected'],
  ['pup-activity', 'Possibly Unwanted Program Detected'],
  ['credential-theft', 'Successful Credential Theft Detected'],
  ['social-engineering', 'Possible Social Engineering Attempted'],
  ['coin-mining', 'Crypto Currency Mining Activity Detected'],
  ['command-and-control', 'Malware Command and Control Activity Detected'],
  [none, 'Without a class'],
])

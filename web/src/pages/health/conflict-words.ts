// Sentences of the gateway about conflicts, in the language of the person. What is not known here is shown as the gateway said it.
// Pure.

import { heard, msg, t } from '../../words.ts'

/** What the gateway says word by word. */
export const sentences: readonly string[] = [
  msg('Stop the other gateway.'),
  msg('systemd-resolved holds port 53 on 127.0.0.53'),
  msg('The DNS server of the gateway cannot have port 53, and does not work.'),
  msg('The DNS server of the gateway cannot start beside it.'),
  msg('systemd-resolved runs without its port, and would take port 53 at the next start of the machine'),
  msg('The DNS server of the gateway was first this time. When systemd-resolved is first, it does not work.'),
  msg('This machine asks 127.0.0.53 for names, and nothing answers there'),
  msg('The file /etc/resolv.conf names the stub of systemd-resolved, which does not listen.'),
  msg(
    'They are in the older interface of the kernel, which nft does not show. What our rules accept is dropped there.',
  ),
  msg('They may drop packets that the rules of the gateway accept.'),
  msg('Remove them, if the gateway is to decide alone.'),
  msg('Remove the table by its handle, which "nft -a list tables" shows.'),
  msg('A packet must pass the rules of both: what they drop is lost, even where the gateway accepts it.'),
  msg(
    'A packet must pass the rules of both: what they drop is lost, even where the gateway accepts it. Remove them also from what loads them.',
  ),
  msg('nftables.service removes the rules of the gateway when it starts and stops'),
  msg('The file /etc/nftables.conf begins with "flush ruleset". The gateway restores its rules within a moment.'),
  msg('It runs "nft flush ruleset" when it stops. The gateway restores its rules within a moment.'),
  msg('netfilter-persistent.service loads other rules at every start of the machine'),
  msg('What they drop is lost, even where the gateway accepts it.'),
  msg('ufw is enabled, and will drop what passes through the gateway from the next start of the machine on'),
  msg('Its rules are not in the kernel now. The file /etc/ufw/ufw.conf says ENABLED=yes.'),
  msg('firewalld is switched on, and drops what passes through the gateway when its rules are loaded'),
  msg('Its rules are not in the kernel now.'),
  msg(
    'It came with a package that the gateway uses. The gateway starts the program itself, and does not need the service.',
  ),
  msg('When it starts again, its addresses and routes replace those of the gateway for some seconds.'),
  msg('It may ask a DHCP server for other addresses, and replace routes of the gateway.'),
  msg('ifupdown runs a second DHCP client beside that of the gateway.'),
  msg(
    'At the start of the machine this does no harm. When networking.service is started later, it fails, because the addresses are there already.',
  ),
]

/** Names of engines and of programs inside a sentence. */
export const names: readonly string[] = [
  msg('DNS server'),
  msg('DHCP server'),
  msg('web proxy'),
  msg('web antivirus'),
  msg('web filter'),
  msg('SNMP agent'),
  msg('another program'),
  msg('another gateway on this machine'),
  msg('that holds the port'),
]

/** What it says with names in it. Longer forms first. */
const patterns: readonly (readonly [pattern: RegExp, text: string])[] = [
  [
    /^Port (?<port>\d{1,5}) \((?<protocols>[a-z, ]+)\) is held by (?<who>.+)$/,
    msg('Port {port} ({protocols}) is held by {who}'),
  ],
  [
    /^Both run beside each other: on (?<places>[\d.:a-f]+(?:, [\d.:a-f]+){0,3}) (?<who>.+) answers, and not the (?<engine>.+) of the gateway\.$/,
    msg('Both run beside each other: on {places} {who} answers, and not the {engine} of the gateway.'),
  ],
  [
    /^The (?<engine>.+) of the gateway cannot have it, and does not work\.$/,
    msg('The {engine} of the gateway cannot have it, and does not work.'),
  ],
  [
    /^The (?<engine>.+) of the gateway is off\. It cannot work beside (?<who>.+) when it is switched on\.$/,
    msg('The {engine} of the gateway is off. It cannot work beside {who} when it is switched on.'),
  ],
  [
    /^The (?<engine>.+) of the gateway cannot work beside it\.$/,
    msg('The {engine} of the gateway cannot work beside it.'),
  ],
  [
    /^Old rules of iptables drop all packets in (?<chains>[A-Za-z ]+)$/,
    msg('Old rules of iptables drop all packets in {chains}'),
  ],
  [/^The rules of (?<who>.+) are too many to be read$/, msg('The rules of {who} are too many to be read')],
  [
    /^The rules of (?<who>.+) may drop some of what passes through the gateway and what reaches the gateway itself$/,
    msg('The rules of {who} may drop some of what passes through the gateway and what reaches the gateway itself'),
  ],
  [
    /^The rules of (?<who>.+) may drop some of what passes through the gateway$/,
    msg('The rules of {who} may drop some of what passes through the gateway'),
  ],
  [
    /^The rules of (?<who>.+) may drop some of what reaches the gateway itself$/,
    msg('The rules of {who} may drop some of what reaches the gateway itself'),
  ],
  [
    /^The rules of (?<who>.+) drop what passes through the gateway and what reaches the gateway itself$/,
    msg('The rules of {who} drop what passes through the gateway and what reaches the gateway itself'),
  ],
  [
    /^The rules of (?<who>.+) drop what passes through the gateway$/,
    msg('The rules of {who} drop what passes through the gateway'),
  ],
  [
    /^The rules of (?<who>.+) drop what reaches the gateway itself$/,
    msg('The rules of {who} drop what reaches the gateway itself'),
  ],
  [/^(?<unit>\S+\.service) runs beside the gateway$/, msg('{unit} runs beside the gateway')],
  [/^AppArmor keeps the (?<engine>.+) from its files$/, msg('AppArmor keeps the {engine} from its files')],
  [
    /^The profile of (?<program>\S+) is enforced and does not allow (?<folder>\S+), so the (?<engine>.+) cannot read its settings\.$/,
    msg('The profile of {program} is enforced and does not allow {folder}, so the {engine} cannot read its settings.'),
  ],
  [/^The file (?<files>.+) sets up (?<devices>.+) too$/, msg('The file {files} sets up {devices} too')],
  [/^(?<manager>[A-Za-z-]+) sets up (?<devices>.+) too$/, msg('{manager} sets up {devices} too')],
  [
    /^Stop the program (?<program>.+) \(process (?<pid>\d+)\), and what starts it\.$/,
    msg('Stop the program {program} (process {pid}), and what starts it.'),
  ],
  [/^Stop the program (?<program>.+), and what starts it\.$/, msg('Stop the program {program}, and what starts it.')],
  [/^the table (?<table>.+)$/, msg('the table {table}')],
  [/^(?<program>\S+) \(process (?<pid>\d+)\)$/, msg('{program} (process {pid})')],
  [
    /^Put # before the lines of (?<devices>.+) in (?<files>.+)\.$/,
    msg('Put # before the lines of {devices} in {files}.'),
  ],
  [/^When the gateway is set up: (?<command>.+)$/, msg('When the gateway is set up: {command}')],
]

export function sayConflict(text: string): string {
  const known = heard(text)
  if (known !== text) return known
  for (const [pattern, words] of patterns) {
    const found = pattern.exec(text)
    if (found)
      return t(
        words,
        Object.fromEntries(Object.entries(found.groups ?? {}).map(([name, at]) => [name, sayConflict(at)])),
      )
  }
  return text
}

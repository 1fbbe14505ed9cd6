// Sentences of the gateway about web requests and the category database, in the language of the person. What is not known here is
// shown as the gateway said it. Pure.

import { heard, msg, t } from '../../words.ts'

/** What the gateway says word by word. */
export const sentences: readonly string[] = [
  msg('The content filter is disabled: everything passes.'),
  msg('The content filter is disabled.'),
  msg('Safe search needs the connection decrypted.'),
  msg('Safe search sends the client to the same search with the safe mode.'),
  msg('No rule matches: the connection passes without being decrypted.'),
  msg('No rule matches: the request passes.'),
  msg('The proxy takes the connection.'),
  msg('The proxy takes connections to the ports 80 and 443 only.'),
  msg('Only the direct proxy takes this port: without it the request is not filtered.'),
  msg('No rule, and nothing else of the filter, concerns this client.'),
  msg('Through the direct proxy it is filtered all the same.'),
  msg('The web antivirus checks what is downloaded in plain or decrypted form.'),
  msg('It is not known where the user is, so rules for addresses do not match.'),
  msg('The words of the page can still have it blocked.'),
  msg('Send content_type to see what a reply of that type gets.'),
  msg('It depends on the type of the reply, and the outcome is the same either way.'),
  msg('It only says whether a connection is decrypted.'),
  msg('Only a decrypted request can be redirected.'),
  msg('MIME types are only known of decrypted requests.'),
  msg('The request is for the address that it redirects to.'),
  msg('It does not apply at this time.'),
  msg('The method is only known of decrypted requests.'),
  msg('Files and activities are only known of decrypted requests.'),
  msg('The reply has no type.'),
  msg('Must be a URL such as https://example.com/page, or a name.'),
  msg('There is no such user.'),
  msg('Send the address of a client, a user or both.'),
  msg('The disk has no room for the category index.'),
  msg('There are more than 10,000 lists.'),
  msg('The archive cannot be used: no folder in it with domains or urls names a known category.'),
  msg('Another archive is being received or built. Wait until the database is ready.'),
  msg('The archive cannot be stored: the disk of the gateway is full or failing.'),
]

/** What it says with names and values in it. */
const patterns: readonly (readonly [pattern: RegExp, text: string])[] = [
  [/^Rule \d{1,15} ".*" matches: the connection passes/, msg('The rule matches: the connection is not decrypted.')],
  [/^Rule \d{1,15} ".*" matches: the connection is/, msg('The rule matches: the connection is decrypted.')],
  [/^Rule \d{1,15} ".*" matches: the request passes/, msg('The rule matches: the request passes.')],
  [/^Rule \d{1,15} ".*" matches: it is refused/, msg('The rule matches: the client gets the block page.')],
  [/^Rule \d{1,15} ".*" matches: the client is/, msg('The rule matches: the client is sent to another address.')],
  [/^Rule \d{1,15} ".*" matches if the reply/, msg('The rule matches if the reply is of its type.')],
  [
    /^(?<who>\S+) is not in a local network,/,
    msg('{who} is not in a local network, so the proxy takes nothing of it.'),
  ],
  [/^Exclusion (?<id>\S+) of the web proxy/, msg('Exclusion {id} of the web proxy leaves it alone.')],
  [/^Exclusion (?<id>\S+) leaves it/, msg('Exclusion {id} leaves it alone if the server has one of its addresses.')],
  [/^It does not apply to (?<who>\S*), and no/, msg('It does not apply to {who}, and no user is signed in there.')],
  [/^It does not apply to (?<who>.*) at (?<at>\S*)\.$/, msg('It does not apply to {who} at {at}.')],
  [/^The method is (?<method>\S+)\.$/, msg('The method is {method}.')],
  [/^(?<host>\S+) is in none of its categories\.$/, msg('{host} is in none of its categories.')],
  [/^The reply is of the type (?<type>.*)\.$/, msg('The reply is of the type {type}.')],
  [/^The lists have more than (?<count>[\d,]+) entries\.$/, msg('The lists have more than {count} entries.')],
  [/^The archive cannot be used: (?<why>.*)\.$/, msg('The archive cannot be used: {why}.')],
  [/^The category index cannot be used: (?<why>.*)\.$/, msg('The category index cannot be used: {why}.')],
  [/^The category index cannot be read \((?<code>\w+)\)/, msg('The category index cannot be read ({code}).')],
  [
    /^The category index could not be built \((?<code>\w+)\)/,
    msg('The category index could not be built ({code}). The old one stays in use.'),
  ],
]

export function sayForGateway(text: string): string {
  const known = heard(text)
  if (known !== text) return known
  for (const [pattern, words] of patterns) {
    const found = pattern.exec(text)
    if (found) return t(words, { ...found.groups })
  }
  return text
}
